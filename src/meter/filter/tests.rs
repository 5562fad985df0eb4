use std::rc::Rc;

use super::super::messages::Owner;
use super::super::record::Usage;
use super::*;

fn counted(session: &str, agent: Option<&str>, model: &str, at: &str) -> Counted {
    Counted {
        id: None,
        owner: Rc::new(Owner {
            session: Some(session.into()),
            project: None,
            agent: agent.map(|_| "a1".into()),
            agent_type: agent.filter(|name| !name.is_empty()).map(Into::into),
        }),
        model: Some(model.into()),
        at: at.parse().ok().map(Timestamp::as_microsecond),
        message: true,
        partial: false,
        usage: Usage::default(),
        tool_calls: 0,
    }
}

fn all() -> Chunks<Counted> {
    let all = [
        counted("s1", None, "claude-opus-4-8[1m]", "2026-08-04T10:00:00Z"),
        counted(
            "s1",
            Some("desk-runner"),
            "claude-haiku-4-5",
            "2026-08-05T00:00:00Z",
        ),
        counted("s12", Some(""), "us.anthropic.claude-opus-4-8-v1:0", ""),
    ];
    all.into_iter().collect()
}

fn kept(filter: &Filter) -> (Vec<usize>, Vec<String>) {
    let mut counted = all();
    let notes = filter.apply(&mut counted).unwrap();
    let at = |one| all().iter().position(|other| other == one).unwrap();
    (counted.iter().map(at).collect(), notes)
}

#[test]
fn each_filter_keeps_what_it_names() {
    let session = |id| Filter {
        session: Some(String::from(id)),
        ..Filter::default()
    };
    let agent = |name| Filter {
        agent: Some(String::from(name)),
        ..Filter::default()
    };
    let model = |glob| Filter {
        model: Some(WildMatch::new(glob)),
        ..Filter::default()
    };
    for (filter, want) in [
        (Filter::default(), vec![0, 1, 2]),
        (session("s1"), vec![0, 1]),
        (session("s12"), vec![2]),
        (agent("main"), vec![0]),
        (agent("desk-runner"), vec![1]),
        (agent("unknown"), vec![2]),
        (model("claude-opus-4-8"), vec![0, 2]),
        (model("claude-*"), vec![0, 1, 2]),
        (model("us.*"), vec![2]),
        (model("*haiku*"), vec![1]),
    ] {
        assert_eq!(kept(&filter), (want, vec![]), "{filter:?}");
    }
    let (rows, notes) = kept(&model("gpt"));
    assert_eq!(
        (rows, notes),
        (vec![], vec!["no message fits the filters".to_owned()])
    );
}

#[test]
fn a_beginning_of_several_sessions_is_refused() {
    let filter = Filter {
        session: Some("s".to_owned()),
        ..Filter::default()
    };
    let error = filter.apply(&mut all()).unwrap_err().to_string();
    assert!(error.contains(r#"2 begin with "s""#), "{error}");
}

#[test]
fn what_tells_no_time_is_left_out_and_said() {
    let filter = Filter {
        since: "2026-08-04T10:00:00Z".parse().ok(),
        until: "2026-08-05T00:00:00Z".parse().ok(),
        ..Filter::default()
    };
    let note = "messages without a time, left out: 1".to_owned();
    assert_eq!(kept(&filter), (vec![0], vec![note]));
}

#[test]
fn times_as_people_write_them() {
    let now: Timestamp = "2026-08-05T10:00:00Z".parse().unwrap();
    let zone = TimeZone::get("Europe/Berlin").unwrap();
    for (text, since, until) in [
        ("2026-08-04", "2026-08-03T22:00:00Z", "2026-08-04T22:00:00Z"),
        (
            "2026-08-04T12:30",
            "2026-08-04T10:30:00Z",
            "2026-08-04T10:30:00Z",
        ),
        (
            "2026-08-04 12:30:10",
            "2026-08-04T10:30:10Z",
            "2026-08-04T10:30:10Z",
        ),
        (
            "2026-08-04T12:30:00Z",
            "2026-08-04T12:30:00Z",
            "2026-08-04T12:30:00Z",
        ),
        (
            "2026-08-04T12:30:00-07:00",
            "2026-08-04T19:30:00Z",
            "2026-08-04T19:30:00Z",
        ),
        ("7d", "2026-07-29T10:00:00Z", "2026-07-29T10:00:00Z"),
        ("12h", "2026-08-04T22:00:00Z", "2026-08-04T22:00:00Z"),
        ("90m", "2026-08-05T08:30:00Z", "2026-08-05T08:30:00Z"),
        ("2w", "2026-07-22T10:00:00Z", "2026-07-22T10:00:00Z"),
    ] {
        let at = |end| moment(text, end, now, &zone).unwrap().to_string();
        assert_eq!(
            (at(End::Since).as_str(), at(End::Until).as_str()),
            (since, until),
            "{text}"
        );
    }
    for bad in [
        "",
        "d",
        "yesterday",
        "-7d",
        "2026-13-01",
        "2026-02-30",
        "99999999999d",
        "7 d",
        "ä",
    ] {
        let error = moment(bad, End::Since, now, &zone).unwrap_err().to_string();
        assert!(
            error.starts_with("could not read the time"),
            "{bad}: {error}"
        );
    }
}
