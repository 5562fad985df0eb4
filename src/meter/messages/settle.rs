//! All messages, once every file is read → each with its owner, in the order of their first lines.

use std::rc::Rc;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use super::chunks::Chunks;
use super::ids::Ids;
use super::{Counted, Holder, Message, Messages, Owner};

impl Messages {
    pub(super) fn all_counted(mut self) -> Vec<Counted> {
        self.ids = Ids::default();
        self.lines = FxHashMap::default();
        self.gateway = FxHashMap::default();
        let mut all = std::mem::take(&mut self.all);
        first_first(&mut all);
        let parts = |message: &Message| 1 + message.rest.as_ref().map_or(0, |r| r.apart.len());
        let mut counted = Vec::with_capacity(all.iter().map(parts).sum());
        // Neighbours mostly share it.
        let (mut last, mut owner) = (Holder::default(), Rc::new(Owner::default()));
        // There may be millions: their room is given back as it becomes free.
        for message in all.into_iter() {
            let holder = self.holder(&message);
            if holder != last {
                (last, owner) = (holder, Rc::new(self.owner(holder)));
            }
            self.counted(message, &owner, &mut counted);
        }
        counted
    }

    /// The message and its parts.
    fn counted(&self, message: Message, owner: &Rc<Owner>, into: &mut Vec<Counted>) {
        let tool_calls = message.tool_calls();
        let place = into.len();
        into.push(Counted {
            id: message.id,
            owner: owner.clone(),
            model: self.names.get(message.model).cloned(),
            at: Timestamp::from_microsecond(message.at).ok(),
            message: true,
            partial: !message.finished,
            usage: message.usage,
            tool_calls,
        });
        for (model, usage) in message.rest.into_iter().flat_map(|rest| rest.apart) {
            let whole = &into[place];
            let model = self.names.get(model).or(whole.model.as_ref());
            into.push(Counted {
                model: model.cloned(),
                message: false,
                partial: false,
                usage,
                tool_calls: 0,
                ..whole.clone()
            });
        }
    }

    /// Resumed and forked sessions hold copies of earlier messages: the session that ended first
    /// made them. In it the main thread goes before a subagent that got a copy of its context.
    fn holder(&self, message: &Message) -> Holder {
        let first = message.holder();
        let more = message.rest.iter().flat_map(|rest| &rest.holders);
        let end = |holder: &Holder| holder.session.and_then(|s| self.ends.get(&Some(s)));
        let name = |slot| self.names.get(slot);
        let owner = more.copied().chain([first]).min_by(|a, b| {
            let order = |h: &Holder| (end(h).is_none(), end(h).copied());
            let names = |h: &Holder| (name(h.session), h.sidechain, name(h.agent), name(h.project));
            order(a)
                .cmp(&order(b))
                .then_with(|| names(a).cmp(&names(b)))
        });
        owner.unwrap_or(first)
    }

    fn owner(&self, holder: Holder) -> Owner {
        let name = |slot| self.names.get(slot).cloned();
        let agent_type = holder.agent.and_then(|agent| self.types.get(&Some(agent)));
        Owner {
            session: name(holder.session),
            project: name(holder.project),
            agent: name(holder.agent),
            agent_type: agent_type.and_then(|(_, slot)| name(*slot)),
        }
    }
}

impl Message {
    fn tool_calls(&self) -> u32 {
        let more = self.rest.as_ref().map_or(0, |rest| rest.tools.len());
        u32::from(self.tool.is_some()) + u32::try_from(more).unwrap_or(u32::MAX - 1)
    }
}

/// Puts the message with the first place first. They stand in runs of one file each: they are dealt
/// out to their files, and within one most are in order.
fn first_first(all: &mut Chunks<Message>) {
    if all.iter().is_sorted_by_key(|one| one.first) {
        return;
    }
    let ranks = all.iter().map(|one| one.first.0 as usize + 1).max();
    let mut next = vec![0_u32; ranks.unwrap_or(0) + 1];
    for one in all.iter() {
        next[one.first.0 as usize + 1] += 1;
    }
    for rank in 1..next.len() {
        next[rank] += next[rank - 1];
    }
    let mut from = vec![0; all.len()];
    for (at, one) in (0..).zip(all.iter()) {
        let next = &mut next[one.first.0 as usize];
        from[*next as usize] = at;
        *next += 1;
    }
    let first = |at: &u32| all[*at as usize].first;
    if !from.is_sorted_by_key(first) {
        from.sort_by_key(first);
    }
    all.arrange(&from);
}
