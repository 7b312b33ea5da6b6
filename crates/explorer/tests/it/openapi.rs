//! The description against the server: every route, and every field of every answer.

use crate::{Server, golden, path};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use zermelo_erased::Catalogue;
use zermelo_explorer::ServerConfig;
use zermelo_explorer::api::{OPENAPI, ROUTES};

/// What is wrong with a value by a schema of the description, if anything. All that the description uses, and no more.
fn flaw(doc: &Value, schema: &Value, value: &Value, place: &str) -> Option<String> {
    if let Some(name) = schema["$ref"].as_str() {
        return flaw(doc, doc.pointer(&name[1..]).expect("a name that is there"), value, place);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let flaws: Vec<_> = any.iter().map(|schema| flaw(doc, schema, value, place)).collect();
        return flaws.iter().all(Option::is_some).then(|| flaws[0].clone().unwrap_or_default());
    }
    if let Some(all) = schema["enum"].as_array() {
        return (!all.contains(value)).then(|| format!("{place}: {value} is none of {all:?}"));
    }
    let types = match &schema["type"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => panic!("{place}: a schema without a type"),
    };
    let fits = |kind: &&str| match *kind {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{place}: no such type: {other}"),
    };
    if !types.iter().any(fits) {
        return Some(format!("{place}: {value} is no {types:?}"));
    }
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        let each = |(i, item)| flaw(doc, items, item, &format!("{place}[{i}]"));
        return list.iter().enumerate().find_map(each);
    }
    let (Some(fields), Some(object)) = (schema["properties"].as_object(), value.as_object()) else {
        return None;
    };
    let missing = |name: &&Value| !object.contains_key(name.as_str().unwrap_or_default());
    if let Some(name) = schema["required"].as_array().into_iter().flatten().find(missing) {
        return Some(format!("{place}: {name} is missing"));
    }
    object.iter().find_map(|(name, value)| match fields.get(name) {
        Some(schema) => flaw(doc, schema, value, &format!("{place}.{name}")),
        None => Some(format!("{place}: {name} is not described")),
    })
}

#[test]
fn the_validator_can_fail() {
    let doc = json!({ "a": { "type": "object", "required": ["x"], "properties": { "x": { "type": ["integer", "null"] } } } });
    let schema = json!({ "$ref": "#/a" });
    assert_eq!(flaw(&doc, &schema, &json!({ "x": null }), ""), None);
    for wrong in [json!({}), json!({ "x": "1" }), json!({ "x": 1, "y": 2 }), json!([])] {
        assert!(flaw(&doc, &schema, &wrong, "").is_some(), "{wrong}");
    }
}

#[test]
fn every_route_is_described_and_no_other() {
    let doc: Value = serde_json::from_str(OPENAPI).unwrap();
    let mut described = BTreeSet::new();
    for (path, methods) in doc["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            described.insert((method.as_str(), path.as_str()));
        }
    }
    assert_eq!(described, ROUTES.iter().copied().collect());
}

#[tokio::test]
async fn every_answer_is_as_described() {
    let dir = crate::api::strong("tictactoe");
    let growing = tempfile::tempdir().unwrap();
    crate::stores::grow("nogo 5x5", growing.path(), 1, 60);
    let empty = tempfile::tempdir().unwrap();
    let server = Server::new(ServerConfig {
        databases: vec![dir.path().to_owned()],
        proofs: vec![golden("tictactoe.proof"), golden("nogo-4x4-leaves.proof")],
        stores: vec![growing.path().to_owned(), empty.path().to_owned()],
        ..ServerConfig::default()
    });
    let doc: Value = serde_json::from_str(OPENAPI).unwrap();
    let mut used = BTreeSet::new();
    let mut check = |method: &'static str, route: &'static str, status: &str, answer: Value| {
        let responses = &doc["paths"][route][method]["responses"];
        let schema = &responses[status]["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{method} {route} {status}");
        let flaw = flaw(&doc, schema, &answer, "");
        assert_eq!(flaw, None, "{method} {route}: {answer}");
        used.insert((method, route));
    };
    check("get", "/api/v1/openapi.json", "200", server.get("/api/v1/openapi.json").await.good());
    check("get", "/api/v1/games", "200", server.get("/api/v1/games").await.good());
    for row in Catalogue::standard().rows() {
        let game = [("game", row.examples()[0])];
        check("get", "/api/v1/game", "200", server.get(&path("game", &game)).await.good());
        check("get", "/api/v1/position", "200", server.get(&path("position", &game)).await.good());
    }
    for game in ["tictactoe", "kalah 2x1"] {
        loop {
            let found = server.get(&path("statistics", &[("game", game)])).await.good();
            let done = found["state"] == "done";
            check("get", "/api/v1/statistics", "200", found);
            if done {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
    for moves in ["", "a1", "a1 b1", "a1 a2 b1 b2 c1"] {
        let words = [("game", "tictactoe"), ("moves", moves)];
        check("get", "/api/v1/position", "200", server.get(&path("position", &words)).await.good());
    }
    let body = json!({ "game": "tictactoe", "positions": [".../.../... first"] }).to_string();
    check("post", "/api/v1/probe", "200", server.post("/api/v1/probe", &body).await.good());
    for (n, body) in [
        r#"{"game":"connect4 4x4","values":true,"seconds":5}"#,
        r#"{"game":"nogo 4x4","by":"pns","nodes":20000}"#,
        r#"{"game":"go 3x3","nodes":20000}"#,
        r#"{"game":"connect4 4x4","moves":"a b","automatic":true}"#,
    ]
    .iter()
    .enumerate()
    {
        let job = server.post("/api/v1/jobs", body).await.good();
        let id = job["id"].as_u64().unwrap();
        check("post", "/api/v1/jobs", "202", job);
        check("get", "/api/v1/jobs/{id}", "200", server.finish(id).await);
        let stopped = server.delete(&format!("/api/v1/jobs/{id}")).await.good();
        check("delete", "/api/v1/jobs/{id}", "200", stopped);
        for (route, what) in
            [("/api/v1/jobs/{id}/pause", "pause"), ("/api/v1/jobs/{id}/resume", "resume")]
        {
            let answer = server.post(&format!("/api/v1/jobs/{id}/{what}"), "").await.good();
            check("post", route, "200", answer);
        }
        if n == 0 {
            let events = server.get(&format!("/api/v1/jobs/{id}/events")).await;
            let text = String::from_utf8(events.bytes).unwrap();
            let data = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
            // A stream's events are described like the answer to its start.
            check("post", "/api/v1/jobs", "202", serde_json::from_str(data).unwrap());
        }
    }
    check("get", "/api/v1/jobs", "200", server.get("/api/v1/jobs").await.good());
    check("get", "/api/v1/proofs", "200", server.get("/api/v1/proofs").await.good());
    for id in [0, 1] {
        let get = |what: &str| format!("/api/v1/proofs/{id}{what}");
        check("get", "/api/v1/proofs/{id}", "200", server.get(&get("")).await.good());
        check("get", "/api/v1/proofs/{id}/node", "200", server.get(&get("/node")).await.good());
        check("get", "/api/v1/proofs/{id}/map", "200", server.get(&get("/map")).await.good());
    }
    let made = server.post("/api/v1/proofs", r#"{"game":"nogo 3x3"}"#).await.good();
    let id = made["id"].as_u64().unwrap();
    check("post", "/api/v1/proofs", "202", made);
    while server.app.making.held() > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    check("get", "/api/v1/proofs", "200", server.get("/api/v1/proofs").await.good());
    let forgotten = server.delete(&format!("/api/v1/proofs/{id}")).await.good();
    check("delete", "/api/v1/proofs/{id}", "200", forgotten);
    check("get", "/api/v1/stores", "200", server.get("/api/v1/stores").await.good());
    check("get", "/api/v1/stores/{id}", "200", server.get("/api/v1/stores/0").await.good());
    for id in 0..9 {
        let get = |what: &str| format!("/api/v1/stores/0/{what}?id={id}");
        check("get", "/api/v1/stores/{id}/node", "200", server.get(&get("node")).await.good());
        check("get", "/api/v1/stores/{id}/map", "200", server.get(&get("map")).await.good());
    }
    for bad in ["/api/v1/position?game=none", "/api/v1/game", "/api/v1/jobs/77", "/nowhere"] {
        let answer = server.get(bad).await.json();
        check("get", "/api/v1/position", "default", answer);
    }
    let body =
        json!({ "game": "tictactoe", "positions": ["a1", "?", { "moves": "b2" }] }).to_string();
    let lines = server.post("/api/v1/batch", &body).await;
    assert_eq!(lines.headers["content-type"], "application/x-ndjson");
    let responses = &doc["paths"]["/api/v1/batch"]["post"]["responses"];
    let schema = &responses["200"]["content"]["application/x-ndjson"]["schema"];
    for line in crate::batch::lines(&lines) {
        assert_eq!(flaw(&doc, schema, &line, ""), None, "{line}");
    }
    let left: Vec<_> = ROUTES.iter().filter(|route| !used.contains(*route)).collect();
    // What is no JSON: a picture, lines and a stream.
    let other = [
        ("get", "/api/v1/picture.svg"),
        ("post", "/api/v1/batch"),
        ("get", "/api/v1/jobs/{id}/events"),
        ("get", "/api/v1/proofs/{id}/file"),
    ];
    assert_eq!(left, other.iter().collect::<Vec<_>>());
}
