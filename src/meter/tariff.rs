//! Prices for many messages: each model's are looked up once. In: messages. Out: what each cost,
//! and at the end what has no price.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::cost::Cost;
use super::messages::{Counted, Name};
use super::prices::{Price, Prices};

/// A price table in use.
pub struct Tariff<'a> {
    prices: Option<&'a Prices>,
    known: FxHashMap<Option<Name>, Option<&'a Price>>,
    /// The model that was asked for last: neighbours mostly share it.
    last: Option<(Name, Option<&'a Price>)>,
    missing: BTreeSet<Missing>,
}

impl<'a> Tariff<'a> {
    /// Without prices nothing is priced, and nothing counts as unpriced.
    #[must_use]
    pub fn new(prices: Option<&'a Prices>) -> Self {
        Self {
            prices,
            known: FxHashMap::default(),
            last: None,
            missing: BTreeSet::new(),
        }
    }

    /// What a message, or a part of one, cost.
    pub fn cost(&mut self, counted: &Counted) -> Cost {
        let Some(prices) = self.prices else {
            return Cost::default();
        };
        let model = &counted.model;
        let price = match (&self.last, model) {
            (Some((last, price)), Some(model)) if Name::ptr_eq(last, model) => *price,
            _ => self.look_up(counted, prices),
        };
        let Some(price) = price else {
            self.missing.insert(Missing::Model(model.clone()));
            return Cost::of(None);
        };
        let cost = price.cost(&counted.usage);
        if cost.unpriced > 0 {
            self.missing.insert(Missing::WebSearch(model.clone()));
        }
        cost
    }

    fn look_up(&mut self, counted: &Counted, prices: &'a Prices) -> Option<&'a Price> {
        let model = &counted.model;
        let price = self.known.get(model).copied().unwrap_or_else(|| {
            let price = model.as_deref().and_then(|model| prices.of(model));
            self.known.insert(model.clone(), price);
            price
        });
        self.last = model.clone().map(|model| (model, price));
        price
    }

    /// What had no price, each once.
    #[must_use]
    pub fn missing(self) -> BTreeSet<Missing> {
        self.missing
    }
}

/// Something without a price.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// A model; none where a message names none.
    Model(Option<Name>),
    /// The web searches of a model.
    WebSearch(Option<Name>),
}
