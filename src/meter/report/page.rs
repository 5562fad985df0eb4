//! Several groupings → one HTML page that needs nothing else: no network, no script. In: totals.
//! Out: the page. What others named (models, agents, projects, tools) goes through [`html`].

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use crate::escape::shown;
use crate::meter::cost::Cost;
use crate::meter::series::{Series, series};
use crate::meter::tools::ToolTotals;
use crate::meter::totals::{Row, Totals};

use super::chart::{bar, columns, kinds};
use super::number::{money, short, short_money, text, thousands};
use super::sheet::Sheet;
use super::{Reading, table};

const STYLE: &str = include_str!("page.css");

/// What the page shows.
#[derive(Debug)]
pub struct Page<'a> {
    /// By day.
    pub days: &'a Totals,
    /// By model.
    pub models: &'a Totals,
    /// By type of agent.
    pub agents: &'a Totals,
    /// By project.
    pub projects: &'a Totals,
    /// The dearest sessions.
    pub sessions: &'a Totals,
    /// By tool.
    pub tools: &'a ToolTotals,
    /// What reading came to.
    pub reading: &'a Reading,
    /// Whether costs were asked for.
    pub priced: bool,
    /// When and over what it was made, in one line, safe to print.
    pub made: &'a str,
}

impl Page<'_> {
    /// The page.
    #[must_use]
    pub fn text(&self) -> String {
        let digest = BASE64_STANDARD.encode(Sha256::digest(STYLE));
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>Token use</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        );
        let made = escaped(self.made);
        let _ = writeln!(page, "<h1>Token use</h1>\n<p class=\"soft\">{made}</p>");
        page.push_str(&self.tiles());
        page.push_str(&self.over_time());
        page.push_str("<div class=\"pair\">\n<div>\n");
        page.push_str(&self.list("By model", self.models));
        page.push_str(&self.list("Dearest sessions", self.sessions));
        page.push_str("</div>\n<div>\n");
        page.push_str(&self.list("By agent", self.agents));
        page.push_str(&self.list("By project", self.projects));
        page.push_str(&self.tool_list());
        page.push_str("</div>\n</div>\n");
        page.push_str(&self.footer());
        page.push_str("</body>\n</html>\n");
        page
    }

    fn tiles(&self) -> String {
        let total = &self.days.total;
        let usage = &total.usage;
        let mut tiles = String::from("<div class=\"tiles\">\n");
        let mut tile = |id: &str, swatch: &str, name: &str, value: &str| {
            let _ = writeln!(
                tiles,
                "<div class=\"tile\"><span>{swatch}{name}</span><b id=\"{id}\">{value}</b></div>"
            );
        };
        let cost = if self.priced {
            short_money(&total.cost)
        } else {
            "–".to_owned()
        };
        tile("cost", "", "Cost", &cost);
        tile("messages", "", "Requests", &thousands(total.messages));
        for (id, class, name, count) in [
            ("input", "input", "Input", usage.input),
            ("output", "output", "Output", usage.output),
            ("cache_write", "write", "Cache write", usage.cache_write),
            ("cache_read", "read", "Cache read", usage.cache_read),
        ] {
            tile(
                id,
                &format!("<i class=\"{class}\"></i>"),
                name,
                &thousands(count),
            );
        }
        tiles.push_str("</div>\n");
        tiles
    }

    fn over_time(&self) -> String {
        let series = series(self.days);
        let most = |of: fn(&Row) -> u64| series.rows.iter().map(|(_, row)| of(row)).max();
        let tokens = most(Row::tokens).unwrap_or(0);
        let full = format!("{} tokens", thousands(tokens));
        let kinds = |row: &Row| kinds(&row.usage).to_vec();
        let mut part = String::from("<section>\n<div class=\"charts\">\n");
        part.push_str(&self.chart(("Tokens", &full), &series, tokens, kinds));
        let dearest = most(|row| row.cost.nano).unwrap_or(0);
        if dearest > 0 {
            let full = short_money(&Cost::of(Some(dearest)));
            let cost = |row: &Row| vec![("money", row.cost.nano)];
            part.push_str(&self.chart(("Cost", &full), &series, dearest, cost));
        }
        part.push_str("</div>\n");
        if series.left_out > 0 {
            let _ = writeln!(
                part,
                "<p class=\"soft\">Older ones left out: {}</p>",
                series.left_out
            );
        }
        let sheet = Sheet::of_messages(self.days, self.priced);
        let _ = writeln!(part, "{}</section>", numbers(&sheet));
        part
    }

    /// A chart over time with its title, what its full height stands for, and its axis.
    fn chart(
        &self,
        (title, full): (&str, &str),
        series: &Series,
        most: u64,
        parts: impl Fn(&Row) -> Vec<(&'static str, u64)>,
    ) -> String {
        let rows = &series.rows;
        let shown: Vec<_> = rows
            .iter()
            .map(|(name, row)| (format!("{name}: {}", self.line(row)), parts(row)))
            .collect();
        let by = series.by.name();
        let last = rows.len().saturating_sub(1);
        let marks = if last > 1 {
            vec![0, last / 2, last]
        } else {
            (0..rows.len()).collect()
        };
        let marks: Vec<_> = marks
            .into_iter()
            .map(|at| format!("<span>{}</span>", escaped(&rows[at].0)))
            .collect();
        format!(
            "<div>\n<div class=\"top\"><h2>{title} by {by}</h2><span class=\"soft\">full height: \
             {full}</span></div>\n{}\n<div class=\"axis\">{}</div>\n</div>\n",
            columns(title, &shown, most),
            marks.concat()
        )
    }

    fn list(&self, title: &str, totals: &Totals) -> String {
        let sheet = Sheet::of_messages(totals, self.priced);
        let most = totals.rows.iter().map(|(_, row)| row.tokens()).max();
        let mut part = format!("<section>\n<h2>{title}</h2>\n<ol>\n");
        for (key, row) in &totals.rows {
            let name = escaped(&sheet.label(key.as_deref()));
            let value = if self.priced {
                short_money(&row.cost)
            } else {
                thousands(row.tokens())
            };
            let bar = bar(&kinds(&row.usage), most.unwrap_or(0));
            let _ = writeln!(
                part,
                "<li><div class=\"name\"><span>{name}</span><b>{value}</b></div>{bar}<div class=\"soft\">{}</div></li>",
                counts(row, short)
            );
        }
        let _ = writeln!(
            part,
            "</ol>\n{}</section>",
            rest(totals.rows.len(), totals.left_out)
        );
        part
    }

    fn tool_list(&self) -> String {
        let tools = self.tools;
        let most = tools.rows.iter().map(|(_, row)| row.result_bytes).max();
        let mut part = String::from(
            "<section>\n<h2>By tool: whose results filled the context</h2>\n\
             <p class=\"soft\">Estimated: a token is some four bytes.</p>\n<ol>\n",
        );
        for (tool, row) in &tools.rows {
            let name = tool.as_deref().map_or("(unknown)".to_owned(), html);
            let bar = bar(&[("input", row.result_bytes)], most.unwrap_or(0));
            let _ = writeln!(
                part,
                "<li><div class=\"name\"><span>{name}</span><b>{} tokens</b></div>{bar}<div class=\"soft\">{} calls · {} bytes</div></li>",
                thousands(row.result_tokens()),
                thousands(row.calls),
                thousands(row.result_bytes)
            );
        }
        let _ = writeln!(
            part,
            "</ol>\n{}</section>",
            rest(tools.rows.len(), tools.left_out)
        );
        part
    }

    fn footer(&self) -> String {
        let mut footer = String::from("<footer>\n");
        for remark in self.reading.remarks() {
            let _ = writeln!(footer, "<p>{}</p>", escaped(&remark));
        }
        footer.push_str("</footer>\n");
        footer
    }

    /// A row in one line, with every digit.
    fn line(&self, row: &Row) -> String {
        let cost = if self.priced {
            format!(", {}", money(&row.cost, 4))
        } else {
            String::new()
        };
        format!("{}{cost}", counts(row, thousands))
    }
}

fn counts(row: &Row, number: fn(u64) -> String) -> String {
    let usage = &row.usage;
    format!(
        "{} requests · {} in · {} out · {} cache write · {} cache read",
        number(row.messages),
        number(usage.input),
        number(usage.output),
        number(usage.cache_write),
        number(usage.cache_read)
    )
}

/// What stands below a list.
fn rest(shown: usize, left_out: usize) -> String {
    match (shown, left_out) {
        (0, 0) => "<p class=\"soft\">None.</p>\n".to_owned(),
        (_, 0) => String::new(),
        (_, count) => format!("<p class=\"soft\">and {count} more</p>\n"),
    }
}

/// The numbers behind a picture.
fn numbers(sheet: &Sheet) -> String {
    let mut part = format!(
        "<details><summary>Numbers</summary><div class=\"scroll\"><table>\n<tr><th>{}</th>",
        sheet.by.name()
    );
    for (title, _) in table::shown(&sheet.total) {
        let _ = write!(part, "<th>{title}</th>");
    }
    for (key, fields) in &sheet.rows {
        let _ = write!(
            part,
            "</tr>\n<tr><td>{}</td>",
            escaped(&sheet.label(key.as_deref()))
        );
        for (_, value) in table::shown(fields) {
            let _ = write!(part, "<td>{}</td>", text(value));
        }
    }
    part.push_str("</tr>\n</table></div></details>\n");
    part
}

/// Foreign text as text of a page: what could act on its reader is escaped first.
#[must_use]
pub fn html(text: &str) -> String {
    escaped(&shown(text))
}

/// Text that is safe to print, as text of a page.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_markup() {
        for (text, want) in [
            ("claude-opus-4-8", "claude-opus-4-8"),
            (
                "</script><img onerror=x>",
                "&quot;&lt;/script&gt;&lt;img onerror=x&gt;&quot;",
            ),
            ("a&'\u{202e}", "&quot;a&amp;&#39;\\u202e&quot;"),
        ] {
            assert_eq!(html(text), want);
        }
    }
}
