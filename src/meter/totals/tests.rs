use std::rc::Rc;

use jiff::Timestamp;

use super::super::messages::Owner;
use super::*;

fn counted(at: Option<&str>, agent: Option<&str>, agent_type: Option<&str>) -> Counted {
    Counted {
        id: None,
        owner: Rc::new(Owner {
            agent: agent.map(Into::into),
            agent_type: agent_type.map(Into::into),
            ..Owner::default()
        }),
        model: None,
        at: at.map(|at| at.parse::<Timestamp>().unwrap().as_microsecond()),
        message: true,
        partial: false,
        usage: Usage::default(),
        tool_calls: 0,
    }
}

fn keys(totals: &Totals) -> Vec<Option<&str>> {
    totals.rows.iter().map(|(key, _)| key.as_deref()).collect()
}

#[test]
fn keys_are_sorted_and_the_missing_one_stands_last() {
    let west = TimeZone::get("America/Los_Angeles").unwrap();
    let all = [
        counted(None, None, None),
        counted(Some("2026-08-05T08:00:00Z"), Some("a1"), None),
        counted(
            Some("2026-08-05T04:08:00Z"),
            Some("a2"),
            Some("desk-runner"),
        ),
    ];
    for (by, want) in [
        (By::Day, vec![Some("2026-08-04"), Some("2026-08-05"), None]),
        (By::Week, vec![Some("2026-W32"), None]),
        (By::Month, vec![Some("2026-08"), None]),
        (By::Agent, vec![Some("desk-runner"), Some("unknown"), None]),
        (By::Model, vec![None]),
        (By::Total, vec![]),
    ] {
        let totals = group(&all, by, &west, None);
        assert_eq!(keys(&totals), want, "{by:?}");
        assert_eq!(totals.total.messages, 3);
    }
}

#[test]
fn the_dearest_is_first_and_a_limit_keeps_the_total() {
    let model = |model: &str, output: u64| {
        let mut one = counted(None, None, None);
        one.model = Some(model.into());
        one.usage.output = output;
        one
    };
    let all = [
        model("claude-haiku-4-5", 9),
        model("new", 1000),
        model("claude-opus-4-8", 5),
        model("newer", 1000),
    ];
    let prices = Prices::built_in();
    let mut totals = group(&all, By::Model, &TimeZone::UTC, Some(&prices));
    let order = ["claude-opus-4-8", "claude-haiku-4-5", "new", "newer"];
    assert_eq!(keys(&totals), order.map(Some));
    let missing = ["new", "newer"].map(|name| Missing::Model(Some(name.into())));
    assert_eq!(totals.missing, BTreeSet::from(missing));
    assert_eq!(totals.rows[2].1.cost.usd(), None);
    totals.limit(1);
    assert_eq!((keys(&totals), totals.left_out), (vec![Some(order[0])], 3));
    assert_eq!(totals.total.usage.output, 2014);
    assert_eq!(totals.total.cost.nano, 45_000 + 125_000);
    assert_eq!(totals.total.cost.unpriced, 2);
}

#[test]
fn a_limit_keeps_the_newest_days() {
    let days = ["2026-08-04T00:00:00Z", "2026-08-05T00:00:00Z"];
    let all = days.map(|at| counted(Some(at), None, None));
    let mut totals = group(&all, By::Day, &TimeZone::UTC, None);
    totals.limit(1);
    assert_eq!(keys(&totals), [Some("2026-08-05")]);
}

#[test]
fn names_parse_back() {
    for (name, by) in By::ALL {
        assert_eq!(name.parse(), Ok(by));
        assert_eq!(by.name(), name);
    }
}
