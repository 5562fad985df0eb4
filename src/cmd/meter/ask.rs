//! What was asked for: words of the command line → filter, time zone and prices. In: arguments,
//! environment, clock. A word that cannot be read ends the command here, before anything is read.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use jiff::tz::TimeZone;
use wildmatch::WildMatch;

use crate::escape::{quoted, shown};
use crate::host::Host;
use crate::meter::filter::{End, moment};
use crate::meter::{Filter, Prices};

/// Which messages count.
#[derive(Debug, Default, clap::Args)]
pub struct Select {
    /// From this time on: 2026-08-04, 2026-08-04T12:30, 7d, 12h
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Up to this time; a day is included
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Time zone of days and times, as Europe/Berlin [default: that of this machine]
    #[arg(long, value_name = "TZ")]
    timezone: Option<String>,
    /// Only this session: its id, or the beginning of it
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only subagents of this type; main for the main thread
    #[arg(long, value_name = "TYPE")]
    agent: Option<String>,
    /// Only these models, * and ? stand for anything
    #[arg(long, value_name = "GLOB")]
    model: Option<String>,
    /// Read every transcript anew, and keep nothing of it
    #[arg(long)]
    no_ledger: bool,
}

/// What messages cost.
#[derive(Debug, clap::Args)]
pub struct Pricing {
    /// Show no costs
    #[arg(long)]
    no_cost: bool,
    /// Take prices from this file, in the form of assets/prices.json, instead of the built-in table
    #[arg(long, value_name = "FILE", conflicts_with = "no_cost")]
    prices: Option<PathBuf>,
}

/// What was asked for.
pub struct Ask {
    /// Which messages count.
    pub filter: Filter,
    /// Where days begin.
    pub zone: TimeZone,
    /// What tokens cost; none when nobody wants to know.
    pub prices: Option<Prices>,
    /// The filters as they were typed, safe to print; empty when there are none.
    pub words: String,
    /// Where to keep what was read; none when nobody wants it kept.
    pub ledger: Option<PathBuf>,
}

impl Ask {
    /// Reads the words.
    pub fn of(select: &Select, pricing: &Pricing, host: &Host) -> Result<Self> {
        let zone = zone(select.timezone.as_deref(), host)?;
        let now = host.now();
        let time = |text: &Option<String>, end| {
            let text = text.as_deref();
            text.map(|text| moment(text, end, now, &zone)).transpose()
        };
        let filter = Filter {
            since: time(&select.since, End::Since)?,
            until: time(&select.until, End::Until)?,
            session: select.session.clone(),
            agent: select.agent.clone(),
            model: select.model.as_deref().map(WildMatch::new),
        };
        Ok(Self {
            filter,
            prices: prices(pricing, host)?,
            words: select.words(),
            ledger: host
                .cache_folder()
                .filter(|_| !select.no_ledger)
                .map(|folder| folder.join("meter")),
            zone,
        })
    }
}

impl Select {
    fn words(&self) -> String {
        let words = [
            ("--since", &self.since),
            ("--until", &self.until),
            ("--session", &self.session),
            ("--agent", &self.agent),
            ("--model", &self.model),
        ];
        let words: Vec<_> = words
            .iter()
            .filter_map(|(name, value)| Some(format!("{name} {}", shown(value.as_deref()?))))
            .collect();
        words.join(" ")
    }
}

fn zone(name: Option<&str>, host: &Host) -> Result<TimeZone> {
    let Some(name) = name else {
        return Ok(system_zone(host));
    };
    TimeZone::get(name).map_err(|_| {
        anyhow!(
            "could not find the time zone {}: write it as UTC or Europe/Berlin",
            quoted(name)
        )
    })
}

/// The zone of this machine. Where nothing but its file names it, the file suffices: to find it by
/// its name, all zones would be listed first.
fn system_zone(host: &Host) -> TimeZone {
    let file = (!host.is_set("TZ")).then_some("/etc/localtime");
    let zone = file.and_then(|file| TimeZone::tzif("", &std::fs::read(file).ok()?).ok());
    zone.unwrap_or_else(TimeZone::system)
}

/// The prices that were asked for.
pub fn prices(pricing: &Pricing, host: &Host) -> Result<Option<Prices>> {
    if pricing.no_cost {
        return Ok(None);
    }
    let Some(path) = &pricing.prices else {
        return Ok(Some(Prices::built_in()));
    };
    let named = || quoted(&path.display().to_string());
    let bytes = std::fs::read(host.cwd.join(path))
        .with_context(|| format!("could not read the prices in {}", named()))?;
    let parsed = Prices::parse(&bytes).map_err(|error| {
        let place = format!("{}:{}", error.line(), error.column());
        let why = error.to_string();
        let why = why.split(" at line ").next().unwrap_or_default().to_owned();
        anyhow!(
            "could not use the prices in {}:{place}: {}",
            named(),
            quoted_tail(&why)
        )
    });
    parsed.map(Some)
}

/// The reason can hold a field's name as the file spells it.
fn quoted_tail(why: &str) -> String {
    let plain = |c: char| c.is_ascii_graphic() || c == ' ';
    if why.chars().all(plain) {
        why.to_owned()
    } else {
        quoted(why)
    }
}
