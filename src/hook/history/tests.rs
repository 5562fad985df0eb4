use super::*;
use crate::hook::key::Secret;

fn print(text: &str) -> Print {
    Secret([0; 32]).id(text)
}

/// `f make boom 1`: at second 1 the call `make` failed with `boom`.
fn record(words: &str) -> Record {
    let words: Vec<_> = words.split(' ').collect();
    let e = match words[0] {
        "p" => Kind::Planned,
        "f" => Kind::Failed,
        "s" => Kind::Succeeded,
        "w" => Kind::Changed,
        "u" => Kind::Prompt,
        _ => Kind::Denied,
    };
    let at: i64 = words[words.len() - 1].parse().unwrap();
    let mut record = Record::new(at * 1000, e);
    record.k = (words.len() > 2).then(|| print(words[1]));
    record.x = (words.len() > 3).then(|| print(words[2]));
    record
}

fn times(records: &str, now: i64) -> usize {
    let records: Vec<_> = records.split(", ").map(record).collect();
    run(&records, &print("make"), now * 1000).map_or(0, |run| run.times)
}

#[test]
fn only_a_run_of_one_error_without_a_reset_counts() {
    for (records, want) in [
        ("f make a 1", 1),
        ("f make a 1, f make a 2", 2),
        ("f make a 1, f other a 2, f make a 3", 2),
        ("f make a 1, f make b 2", 1),
        ("f make b 1, f make a 2, f make a 3", 2),
        ("f make a 1, s make 2", 0),
        ("f make a 1, s make 2, f make a 3", 1),
        ("f make a 1, s other 2, f make a 3", 2),
        ("f make a 1, f make a 2, w 3", 0),
        ("f make a 1, f make a 2, u 3", 0),
        ("f make a 1, w 2, f make a 3", 1),
        ("f make a 1, f make a 2, d make 3", 2),
        ("f make a 1, p make 2, f make a 3, p make 4", 2),
    ] {
        assert_eq!(times(records, 10), want, "{records}");
    }
}

#[test]
fn a_failure_is_forgotten_after_fifteen_minutes() {
    assert_eq!(times("f make a 0, f make a 100", 900), 2);
    assert_eq!(times("f make a 0, f make a 100", 901), 1);
    assert_eq!(times("f make a 0, f make a 100", 1001), 0);
}

#[test]
fn a_failure_that_was_written_twice_counts_once() {
    let mut one = record("f make a 1");
    one.i = Some(print("id"));
    let records = [one.clone(), one];
    assert_eq!(run(&records, &print("make"), 1000).unwrap().times, 1);
    assert!(knows(&records, &print("id")));
    assert!(!knows(&records, &print("other")));
}

#[test]
fn lines_that_are_no_records_are_passed_over() {
    let record = record("f make a 1");
    let line = serde_json::to_string(&record).unwrap();
    let foreign = line.replace("\"v\":1", "\"v\":2");
    let log = format!(
        "{}\nnoise\n{foreign}\n{line}\n\n{line}{line}\n{line}",
        &line[9..]
    );
    assert_eq!(read(log.as_bytes()), [record.clone(), record]);
}

#[test]
fn resets_of_the_session_stand_between_the_records_of_an_agent() {
    let session = ["w 2", "f make a 2", "u 9"].map(record).to_vec();
    let own = ["f make a 1", "f make a 3"].map(record).to_vec();
    let merged = merge(session, own);
    let want = ["f make a 1", "w 2", "f make a 3", "u 9"].map(record);
    assert_eq!(merged, want);
}
