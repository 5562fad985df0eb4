use jiff::Timestamp;

use super::super::find::Origin;
use super::super::record::Record;
use super::*;

/// Each record in a file of its own.
#[derive(Default)]
struct Files(Messages, u32);

impl Files {
    fn add(&mut self, mut record: Record<String>, origin: &Origin) {
        let mut rows = Rows::default();
        let at = record
            .at
            .as_deref()
            .and_then(|at| at.parse::<Timestamp>().ok());
        rows.add(&mut record, at.map(Timestamp::as_microsecond), origin);
        self.merge(rows, origin);
    }

    fn alive(&mut self, session: &str, at: Option<&str>) {
        let at = at.map(|at| at.parse::<Timestamp>().unwrap().as_microsecond());
        let rows = Rows {
            names: vec![session.into()],
            ends: at.map(|at| (0, at)).into_iter().collect(),
            ..Rows::default()
        };
        self.merge(rows, &Origin::default());
    }

    fn merge(&mut self, mut rows: Rows, origin: &Origin) {
        let (agent, project) = (origin.agent.as_deref(), origin.project.as_deref());
        self.0.merge(self.1, &mut rows, agent, project);
        self.1 += 1;
    }
}

fn line(id: &str, session: &str, at: &str, output: u64) -> Record<String> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Record {
        id: text(id),
        session: text(session),
        at: text(at),
        model: Some("m".into()),
        usage: Usage {
            output,
            ..Usage::default()
        },
        ..Record::default()
    }
}

/// In order of their size.
fn outputs(records: Vec<Record<String>>) -> Vec<u64> {
    let mut messages = Files::default();
    for record in records {
        messages.add(record, &Origin::default());
    }
    let all = messages.0.settle();
    let mut outputs: Vec<_> = all.iter().map(|one| one.usage.output).collect();
    outputs.sort_unstable();
    outputs
}

#[test]
fn a_message_counts_once_with_its_greatest_line() {
    let placeholder = line("msg_1", "s", "", 1);
    let last = line("msg_1", "s", "", 9);
    assert_eq!(outputs(vec![placeholder.clone(), last.clone()]), [9]);
    assert_eq!(outputs(vec![last, placeholder]), [9]);
}

#[test]
fn the_last_line_wins_a_tie_whole() {
    let mut messages = Files::default();
    for (model, input) in [("first", 1), ("second", 2)] {
        let mut record = line("msg_1", "s", "", 5);
        record.model = Some(model.into());
        record.usage.input = input;
        messages.add(record, &Origin::default());
    }
    let all = messages.0.settle();
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].model.as_deref(), Some("second"));
    assert_eq!(all[0].usage.input, 2);
}

#[test]
fn ids_of_a_gateway_need_more_than_the_id() {
    let one = line("relay", "s1", "t1", 5);
    let same_session = line("relay", "s1", "t2", 6);
    let same_time = line("relay", "s2", "t1", 7);
    let other = line("relay", "s3", "t3", 8);
    let mut other_input = one.clone();
    other_input.usage.cache_read = 1;
    assert_eq!(
        outputs(vec![
            one.clone(),
            same_session,
            same_time,
            other,
            other_input
        ]),
        [5, 7, 8]
    );
    let mut requested = line("relay", "s9", "t9", 3);
    requested.request = true;
    let mut again = requested.clone();
    again.session = None;
    assert_eq!(outputs(vec![one, requested, again]), [3, 5]);
}

#[test]
fn copies_count_only_when_nothing_else_is_known() {
    let mut copy = line("msg_1", "s", "", 50);
    copy.copy = true;
    let mut early = copy.clone();
    early.usage.output = 1;
    let own = line("msg_1", "s", "", 9);
    assert_eq!(outputs(vec![copy.clone(), own]), [9]);
    assert_eq!(outputs(vec![copy.clone(), early.clone()]), [50]);
    assert_eq!(outputs(vec![early, copy]), [50]);
}

#[test]
fn the_session_that_ended_first_owns_what_several_hold() {
    for (ends, want) in [
        (
            [Some("2026-01-02T00:00:00Z"), Some("2026-01-01T00:00:00Z")],
            "s2",
        ),
        (
            [Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z")],
            "s1",
        ),
        (
            [Some("2026-01-01T00:00:00Z"), Some("2026-01-01T00:00:00Z")],
            "s1",
        ),
        ([None, Some("2026-01-01T00:00:00Z")], "s2"),
    ] {
        let mut messages = Files::default();
        let origin = Origin::default();
        for (session, end) in ["s1", "s2"].into_iter().zip(ends) {
            messages.add(line("msg_1", session, "", 5), &origin);
            messages.alive(session, end);
        }
        let all = messages.0.settle();
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].owner.session.as_deref(), Some(want), "{ends:?}");
    }
}

#[test]
fn lines_below_subagents_are_the_parents_and_the_agents() {
    let mut messages = Files::default();
    let origin = Origin {
        parent: Some("parent".to_owned()),
        session: None,
        agent: Some("a1".to_owned()),
        project: Some("-p".to_owned()),
    };
    messages.add(line("msg_1", "other", "", 5), &origin);
    let meta = Rows {
        agent_type: Some("desk-runner".into()),
        ..Rows::default()
    };
    messages.merge(meta, &origin);
    let all = messages.0.settle();
    assert_eq!(all[0].owner.session.as_deref(), Some("parent"));
    assert_eq!(all[0].owner.agent.as_deref(), Some("a1"));
    assert_eq!(all[0].owner.project.as_deref(), Some("-p"));
    assert_eq!(all[0].owner.agent_type.as_deref(), Some("desk-runner"));
}

#[test]
fn parts_on_another_model_stand_apart() {
    let mut messages = Files::default();
    let mut record = line("msg_1", "s", "2026-01-01T00:00:00Z", 5);
    let part = Usage {
        output: 7,
        ..Usage::default()
    };
    record.apart = vec![(Some("advisor".to_owned()), part), (None, part)];
    messages.add(record, &Origin::default());
    let all = messages.0.settle();
    let seen: Vec<_> = all
        .iter()
        .map(|c| (c.model.as_deref().unwrap(), c.message, c.usage.output))
        .collect();
    assert_eq!(
        seen,
        [("m", true, 5), ("advisor", false, 7), ("m", false, 7)]
    );
}

#[test]
fn a_message_has_room_for_what_is_counted() {
    assert_eq!(size_of::<Message>(), size_of::<Counted>());
    assert!(size_of::<Message>() <= 128);
}
