//! The explanation of a certificate as one HTML page, for a browser and nothing else: no script, nothing loaded.

use crate::explain::{Branch, ClaimExplanation, Explanation};
use crate::format::CertificateHeader;
use std::fmt::Write;
use zermelo_game::outside::printable;

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}
svg{width:9rem;height:auto;display:block;margin:.5rem 0}
details{border-left:2px solid #ccc;padding-left:1rem;margin:.3rem 0}
summary{cursor:pointer}
code{font-size:1rem}
.quiet{color:#666}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1a1a1a}.quiet{color:#999}details{border-color:#555}svg{background:#ddd}}";

/// Text from outside: what is not visible as its escape, and nothing that a browser takes for HTML.
fn escaped(text: &str) -> String {
    printable(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The page.
#[must_use]
pub fn html(header: &CertificateHeader, explanation: &Explanation) -> String {
    let game = escaped(&header.game);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>{game}: a proof</title>\n<style>\n{STYLE}\n</style></head><body>\n\
         <h1>{game}</h1>\n<p>Position: <code>{}</code></p>\n",
        escaped(&header.position)
    );
    for claim in &explanation.claims {
        add_claim(&mut page, claim);
    }
    page + "</body></html>\n"
}

fn add_claim(page: &mut String, claim: &ClaimExplanation) {
    let ClaimExplanation { claim, within, positions, longest, endless, line, tree } = claim;
    let within = within.map_or_else(String::new, |plies| format!(" within {plies} plies"));
    let holds_out = match endless {
        true => "Play can repeat positions for ever; one line".into(),
        false => format!("The opponent can hold out for {longest} plies"),
    };
    let _ = write!(
        page,
        "<h2>{}{within}</h2>\n<p>Kept by the {} player, whose strategy has a move for {positions} positions. \
         {holds_out}:</p>\n<p><code>{}</code></p>\n",
        escaped(&claim.words()),
        claim.claimant,
        escaped(&line.join(" "))
    );
    add_branch(page, tree, true);
}

fn add_branch(page: &mut String, branch: &Branch, open: bool) {
    let Branch { reply, answer, picture, longest, branches, more } = branch;
    let reply = reply.as_deref().map_or("At the start".into(), |m| format!("After {}", escaped(m)));
    let answer = match answer {
        Some(answer) => format!("{reply}: <b>{}</b>", escaped(answer)),
        None => reply,
    };
    let open = if open { " open" } else { "" };
    let _ = write!(
        page,
        "<details{open}><summary>{answer} <span class=\"quiet\">({longest} plies)</span></summary>\n{picture}\n"
    );
    branches.iter().for_each(|branch| add_branch(page, branch, false));
    if *more > 0 {
        let _ = writeln!(
            page,
            "<p class=\"quiet\">{more} more replies are answered in the certificate.</p>"
        );
    }
    page.push_str("</details>\n");
}
