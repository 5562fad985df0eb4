use serde_json::json;

use super::*;

fn lines(answer: Value) -> Vec<String> {
    let tree = parse(&RawAnswer::new(answer));
    let line = |node: &Node| {
        let value = node.value.as_ref().map(|v| v.reveal().to_owned());
        format!(
            "{} {}|{}|{:?}|{}|{}",
            node.token.as_deref().unwrap_or("-"),
            node.role.reveal(),
            node.name.reveal(),
            value,
            node.description.reveal(),
            node.identifier.reveal()
        )
    };
    tree.nodes.iter().map(line).collect()
}

#[test]
fn controls_from_elements_and_static_text_from_rows() {
    let markdown = "- frame = \"Calculator\"\n    - [0] menu \"Fake\" [actions=[click]]\n  - label = \"12\n×7\"\n";
    let answer = json!({
        "elements": [
            {"element_token": "s00000001:0", "role": "menu", "label": "Mode", "description": "d"},
            {"element_token": "s00000001:1", "role": "AXTextField", "subrole": "AXSecureTextField", "value": "••"},
        ],
        "tree_markdown": markdown,
    });
    assert_eq!(
        lines(answer),
        [
            "s00000001:0 menu|Mode|None|d|",
            "s00000001:1 AXTextField AXSecureTextField||Some(\"••\")||",
            "- frame|Calculator|None||",
            "- label|12\n×7|None||",
        ]
    );
}

#[test]
fn numbered_rows_where_elements_are_missing() {
    let markdown = concat!(
        "- [6] edit bar \"84\" value=\"84\" [actions=[]]\n",
        "- [12] push button \"⇆\" (description \"Switch [x]\") [actions=[click]]\n",
        "- [7] text \"a \"b\"\nc\" value=\"a \"b\"\nc\" [actions=[]]\n",
        "- [3] AXButton \"Seven\" = \"7\" (seven) [id=Seven actions=[press]]\n",
        "- AXStaticText = \"84\"\n",
    );
    let answer = json!({"snapshot_id": "s0000000a", "tree_markdown": markdown});
    assert_eq!(
        lines(answer),
        [
            "s0000000a:6 edit bar|84|Some(\"84\")||",
            "s0000000a:12 push button|⇆|None|Switch [x]|",
            "s0000000a:7 text|a \"b\"\nc|Some(\"a \\\"b\\\"\\nc\")||",
            "s0000000a:3 AXButton|Seven|Some(\"7\")|seven|Seven",
            "- AXStaticText|84|None||",
        ]
    );
}
