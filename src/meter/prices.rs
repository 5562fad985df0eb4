//! What a model's tokens cost. In: a price table and a message's model and usage. Out: a [`Cost`]
//! that says what the table has no price for: never a guess.
//!
//! The built-in table is `assets/prices.json`; it names its source and its date.

use std::collections::HashMap;

use serde::Deserialize;

use super::cost::Cost;
use super::record::Usage;

/// A price table.
#[derive(Debug, Deserialize)]
pub struct Prices {
    /// The day the prices were read, when the table tells.
    #[serde(default)]
    pub date: Option<String>,
    models: HashMap<String, Price>,
}

/// Prices of one model. Requests with a longer prompt can have others, for all their tokens.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    input: Dollars,
    output: Dollars,
    cache_write_5m: Dollars,
    cache_write_1h: Dollars,
    cache_read: Dollars,
    web_search_request: Option<Dollars>,
    above_100k_prompt_tokens: Option<Rates>,
    above_200k_prompt_tokens: Option<Rates>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rates {
    input: Dollars,
    output: Dollars,
    cache_write_5m: Dollars,
    cache_write_1h: Dollars,
    cache_read: Dollars,
}

/// An amount in millionths of a dollar. As the price of a million tokens it is also that of one
/// token in pico-dollars.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Dollars(u64);

impl TryFrom<f64> for Dollars {
    type Error = String;

    /// Through decimal text, which is what the table holds: no rounding of binary fractions.
    fn try_from(dollars: f64) -> Result<Self, String> {
        let digits = format!("{dollars:.6}").replace('.', "");
        let fits = (0.0..=1e6).contains(&dollars);
        let millionths = digits.parse().ok().filter(|_| fits);
        millionths
            .map(Self)
            .ok_or_else(|| "a price is from 0 to 1000000 dollars".to_owned())
    }
}

impl Prices {
    /// The table of this build.
    ///
    /// # Panics
    /// When the embedded data is not what this build expects, which a test rules out.
    #[must_use]
    pub fn built_in() -> Self {
        Self::parse(include_bytes!("../../assets/prices.json"))
            .expect("assets/prices.json is checked by a test")
    }

    /// Reads a table of the form of `assets/prices.json`. The error names line and column.
    pub fn parse(json: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(json)
    }

    /// The prices of a model, however the transcript spells its name.
    #[must_use]
    pub fn of(&self, model: &str) -> Option<&Price> {
        if let Some(price) = self.models.get(model) {
            return Some(price);
        }
        let name = plain_name(model);
        let price = self.models.get(&name);
        price.or_else(|| self.models.get(undated(&name)?))
    }

    /// What a message cost.
    #[must_use]
    pub fn cost(&self, model: Option<&str>, usage: &Usage) -> Cost {
        let price = model.and_then(|model| self.of(model));
        price.map_or(Cost::of(None), |price| price.cost(usage))
    }
}

impl Price {
    /// What a message cost. Web searches without a price leave it with an unpriced part.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let rates = self.rates(u128::from(usage.input) + wide(usage.cache_write, usage.cache_read));
        let pico = [
            (usage.input, rates.input),
            (usage.output, rates.output),
            (usage.cache_write_5m(), rates.cache_write_5m),
            (usage.cache_write_1h, rates.cache_write_1h),
            (usage.cache_read, rates.cache_read),
        ]
        .iter()
        .map(|(tokens, price)| u128::from(*tokens) * u128::from(price.0))
        .sum::<u128>();
        // Few need more than 64 bits, which are slow to divide.
        let nano = match u64::try_from(pico + 500) {
            Ok(pico) => Some(pico / 1000),
            Err(_) => u64::try_from((pico + 500) / 1000).ok(),
        };
        let mut cost = Cost::of(nano);
        if usage.web_search > 0 {
            cost += Cost::of(self.web_searches(usage.web_search));
        }
        cost
    }

    fn web_searches(&self, count: u64) -> Option<u64> {
        self.web_search_request?
            .0
            .checked_mul(1000)?
            .checked_mul(count)
    }

    fn rates(&self, prompt: u128) -> Rates {
        let plain = Rates {
            input: self.input,
            output: self.output,
            cache_write_5m: self.cache_write_5m,
            cache_write_1h: self.cache_write_1h,
            cache_read: self.cache_read,
        };
        let longest = self.above_200k_prompt_tokens.filter(|_| prompt > 200_000);
        let longer = self.above_100k_prompt_tokens.filter(|_| prompt > 100_000);
        longest.or(longer).unwrap_or(plain)
    }
}

fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) + u128::from(b)
}

/// `claude-opus-4-8` of `us.anthropic.claude-opus-4-8-v1:0` (Bedrock, also behind an ARN or a
/// provider's folder), `claude-opus-4-8[1m]`; `claude-opus-4-5-20251101` of
/// `claude-opus-4-5@20251101` (Vertex).
#[must_use]
pub fn plain_name(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model);
    let name = name.split('[').next().unwrap_or(name);
    let name = name.rsplit("anthropic.").next().unwrap_or(name);
    let name = name.trim().to_ascii_lowercase().replace('@', "-");
    let revision = name.rfind("-v").filter(|at| {
        let rest = &name[at + 2..];
        rest.starts_with(|c: char| c.is_ascii_digit())
            && rest.chars().all(|c| c.is_ascii_digit() || c == ':')
    });
    name[..revision.unwrap_or(name.len())].to_owned()
}

/// The name without a date at its end, if there is one.
fn undated(name: &str) -> Option<&str> {
    let (name, date) = name.rsplit_once('-')?;
    let dated = date == "latest" || (date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()));
    dated.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, cache_write: u64, hour: u64, cache_read: u64) -> Usage {
        Usage {
            input,
            output,
            cache_write,
            cache_write_1h: hour,
            cache_read,
            ..Usage::default()
        }
    }

    #[test]
    fn spellings_of_one_model() {
        let prices = Prices::built_in();
        let want = prices.cost(Some("claude-sonnet-4-5"), &usage(1, 0, 0, 0, 0));
        assert_eq!(want, Cost::of(Some(3000)));
        for model in [
            "claude-sonnet-4-5-20250929",
            "claude-sonnet-4-5-20991231",
            "claude-sonnet-4-5[1m]",
            "claude-sonnet-4-5-20250929[1m]",
            "claude-sonnet-4-5@20250929",
            "claude-sonnet-4-5-latest",
            "anthropic.claude-sonnet-4-5-20250929-v1:0",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "global.anthropic.claude-sonnet-4-5-v2:0",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0[1m]",
            "anthropic/claude-sonnet-4-5",
            "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-sonnet-4-5-v1:0",
        ] {
            assert_eq!(
                prices.cost(Some(model), &usage(1, 0, 0, 0, 0)),
                want,
                "{model}"
            );
        }
        for model in [
            "claude-sonnet-4",
            "claude",
            "",
            "gpt-9",
            "claude-sonnet-4-5-turbo",
        ] {
            assert_eq!(
                prices.cost(Some(model), &usage(1, 0, 0, 0, 0)),
                Cost::of(None),
                "{model}"
            );
        }
        assert_eq!(prices.cost(None, &usage(1, 0, 0, 0, 0)), Cost::of(None));
    }

    #[test]
    fn each_kind_of_token_has_its_price() {
        let prices = Prices::built_in();
        for (model, usage, want) in [
            (
                "claude-sonnet-4-5",
                usage(0, 0, 100_000, 60_000, 0),
                510_000_000,
            ),
            (
                "claude-opus-4-8",
                usage(1, 1, 1, 0, 1),
                5000 + 25_000 + 6250 + 500,
            ),
            // Above 100,000 prompt tokens every token of the message has the other price.
            (
                "claude-haiku-5-5",
                usage(100_000, 10, 0, 0, 0),
                10_000_000 + 5000,
            ),
            (
                "claude-haiku-5-5",
                usage(1, 10, 0, 0, 100_000),
                500 + 25_000 + 5_000_000,
            ),
            (
                "claude-haiku-5-5",
                usage(0, 10, 50_001, 1, 50_000),
                25_000 + 31_250_000 + 1000 + 2_500_000,
            ),
        ] {
            assert_eq!(
                prices.cost(Some(model), &usage),
                Cost::of(Some(want)),
                "{model} {usage:?}"
            );
        }
    }

    #[test]
    fn a_web_search_without_a_price_is_not_free() {
        let prices = Prices::built_in();
        let search = Usage {
            input: 1,
            web_search: 2,
            ..Usage::default()
        };
        let cost = prices.cost(Some("claude-opus-4-8"), &search);
        assert_eq!((cost.nano, cost.unpriced), (20_005_000, 0));
        let cost = prices.cost(Some("claude-haiku-4-5"), &search);
        assert_eq!((cost.nano, cost.unpriced), (1000, 1));
    }

    #[test]
    fn a_bad_table_is_refused_with_its_place() {
        for (json, want) in [
            ("{", "line 1 column 1"),
            ("{\"models\":{\n\"m\":{\"input\":1}}}", "line 2 column"),
            (r#"{"models":{"m":{"input":-1}}}"#, "a price is from 0"),
            (r#"{"models":{"m":{"inputs":1}}}"#, "unknown field"),
            ("[]", "line 1 column"),
        ] {
            let error = Prices::parse(json.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(want), "{json}: {error}");
        }
    }
}
