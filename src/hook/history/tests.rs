use super::*;
use crate::hook::key::Secret;

fn print(text: &str) -> Print {
    Secret([0; 32]).id(text)
}

/// `f make boom 1`: at second 1 the call `make` failed with `boom`. A `w!` is a desk change.
fn record(words: &str) -> Record {
    let words: Vec<_> = words.split(' ').collect();
    let e = match words[0] {
        "p" => Kind::Planned,
        "f" => Kind::Failed,
        "s" => Kind::Succeeded,
        "w" | "w!" => Kind::Changed,
        "u" => Kind::Prompt,
        _ => Kind::Denied,
    };
    let at: i64 = words[words.len() - 1].parse().unwrap();
    let mut record = Record::new(at * 1000, e);
    record.desk = words[0] == "w!";
    record.k = (words.len() > 2).then(|| print(words[1]));
    record.x = (words.len() > 3).then(|| print(words[2]));
    if record.x == Some(print("polled")) {
        record.c = Some(Class::Poll);
    }
    record
}

fn records(text: &str) -> Vec<Record> {
    text.split(", ").map(record).collect()
}

/// How often `make` failed in the same way, and at all.
fn times(text: &str, desk: bool, now: i64) -> (usize, usize) {
    let records = records(text);
    let live = Live::of(&records, desk, now * 1000);
    live.run(print("make"))
        .map_or((0, 0), |run| (run.times, run.all))
}

#[test]
fn only_a_run_of_one_error_without_a_reset_counts() {
    for (records, want) in [
        ("f make a 1", (1, 1)),
        ("f make a 1, f make a 2", (2, 2)),
        ("f make a 1, f other a 2, f make a 3", (2, 2)),
        ("f make a 1, f make b 2", (1, 2)),
        ("f make a 1, f make b 2, f make a 3", (1, 3)),
        ("f make b 1, f make a 2, f make a 3", (2, 3)),
        ("f make a 1, s make 2", (0, 0)),
        ("f make a 1, s make 2, f make a 3", (1, 1)),
        ("f make a 1, s other 2, f make a 3", (2, 2)),
        ("f make a 1, f make a 2, w 3", (0, 0)),
        ("f make a 1, f make a 2, w! 3", (2, 2)),
        ("f make a 1, f make a 2, u 3", (0, 0)),
        ("f make a 1, w 2, f make a 3", (1, 1)),
        ("f make a 1, f make a 2, d make 3", (2, 2)),
        ("f make a 1, p make 2, f make a 3, p make 4", (2, 2)),
    ] {
        assert_eq!(times(records, false, 10), want, "{records}");
    }
    assert_eq!(times("f make a 1, w 2, w! 3, f make a 4", true, 10), (1, 1));
    assert_eq!(times("f make a 1, w 2, f make a 4", true, 10), (2, 2));
}

#[test]
fn a_failure_is_forgotten_after_a_while() {
    for (desk, memory) in [(false, 900), (true, 600)] {
        let times = |now| times("f make a 0, f make a 100", desk, now).0;
        assert_eq!(times(memory), 2);
        assert_eq!(times(memory + 1), 1);
        assert_eq!(times(memory + 101), 0);
    }
}

#[test]
fn polls_that_wait_count_once() {
    let polls = |gap: i64| {
        let one = |at| format!("f make polled {}", at * gap);
        let text: Vec<_> = (0..9).map(one).collect();
        times(&text.join(", "), false, 8 * gap)
    };
    assert_eq!(polls(4), (9, 9));
    assert_eq!(polls(5), (1, 1));
}

#[test]
fn a_clock_that_goes_backwards_only_keeps_failures() {
    assert_eq!(times("f make a 9000, f make a 1", false, 1), (2, 2));
    let mut odd = records("f make a 0, f make a 0");
    odd[0].t = i64::MIN;
    assert_eq!(Live::of(&odd, false, i64::MAX).0.len(), 0);
    assert_eq!(times("f make a 9000, u 5, f make a 1", false, 1), (1, 1));
}

#[test]
fn a_family_fails_and_is_refused_over_its_members() {
    let mut all = records("f a x 1, f b x 2, d c 3, p d 4, d d 5");
    for record in &mut all {
        record.g = Some(print("family"));
    }
    let live = Live::of(&all, false, 9000);
    assert_eq!(live.family(print("family")), 2);
    assert_eq!(live.last_of(print("family")).unwrap().t, 2000);
    assert_eq!(live.refused(print("e"), Some(print("family"))), 2);
    assert_eq!(live.refused(print("d"), None), 1);
}

#[test]
fn a_call_is_known_by_its_id() {
    let mut all = records("p make 1, f make a 2");
    all[0].i = Some(print("id"));
    assert_eq!(planned(&all, print("id")), Some(&all[0]));
    assert!(!knows(&all, print("id")));
    all[1].i = Some(print("id"));
    assert!(knows(&all, print("id")));
    assert!(planned(&all, print("other")).is_none());
}
