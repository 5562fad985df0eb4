//! Prices for many messages: each model's are looked up once. In: messages. Out: what each cost,
//! and at the end the models without a price.

use std::collections::{HashMap, HashSet};

use super::cost::Cost;
use super::messages::{Counted, Name};
use super::prices::{Price, Prices};

/// A price table in use.
pub struct Tariff<'a> {
    prices: Option<&'a Prices>,
    known: HashMap<Option<Name>, Option<&'a Price>>,
    missing: HashSet<Option<Name>>,
}

impl<'a> Tariff<'a> {
    /// Without prices nothing is priced, and nothing counts as unpriced.
    #[must_use]
    pub fn new(prices: Option<&'a Prices>) -> Self {
        Self {
            prices,
            known: HashMap::new(),
            missing: HashSet::new(),
        }
    }

    /// What a message, or a part of one, cost.
    pub fn cost(&mut self, counted: &Counted) -> Cost {
        let Some(prices) = self.prices else {
            return Cost::default();
        };
        let model = &counted.model;
        let price = self.known.get(model).copied().unwrap_or_else(|| {
            let price = model.as_deref().and_then(|model| prices.of(model));
            self.known.insert(model.clone(), price);
            price
        });
        let nano = price.and_then(|price| price.cost(&counted.usage));
        if nano.is_none() && !self.missing.contains(model) {
            self.missing.insert(model.clone());
        }
        Cost::of(nano)
    }

    /// The models of which something had no price, ascending; a message without a model has an
    /// empty name here.
    #[must_use]
    pub fn unpriced(self) -> Vec<String> {
        let names = self.missing.into_iter();
        let mut names: Vec<_> = names
            .map(|name| name.as_deref().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names
    }
}
