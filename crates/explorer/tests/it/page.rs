//! The page: all its files, what they may do, and nothing else.

use crate::Server;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use zermelo_explorer::page::FILES;
use zermelo_explorer::{ServerConfig, api as web};

#[tokio::test]
async fn the_files_of_the_page_and_no_others() {
    let server = Server::plain();
    for (path, kind, content) in FILES {
        let answer = server.get(path).await;
        assert_eq!((answer.status, answer.bytes.as_slice()), (StatusCode::OK, *content));
        assert_eq!(answer.headers["content-type"], *kind);
        assert!(!content.is_empty());
    }
    for path in ["/index.html", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/page/app.js", "/api/v1"] {
        assert_eq!(server.get(path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn every_answer_carries_the_policy() {
    let server = Server::plain();
    for path in ["/", "/api/v1/games", "/nowhere", "/api/v1/position?game=none"] {
        let headers = server.get(path).await.headers;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{path}");
        assert!(!policy.contains("unsafe") && !policy.contains('*'));
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }
}

#[test]
fn the_page_holds_no_script_and_no_address() {
    let page = std::str::from_utf8(FILES[0].2).unwrap();
    for part in page.split("<script").skip(1) {
        assert!(part.split('>').next().unwrap().contains("src=\"/app.js\""), "a script of its own");
        assert!(
            part.split_once('>').unwrap().1.starts_with("</script>"),
            "a script inside the page"
        );
    }
    assert!(!page.contains("style=") && !page.contains("<style") && !page.contains("http"));
}

#[tokio::test]
async fn other_names_are_refused_on_loopback_only() {
    let ask = |host: &str| {
        let request = Request::get("/api/v1/games").header(header::HOST, host);
        request.body(Body::empty()).unwrap()
    };
    let local = Server::plain();
    assert_eq!(local.send(ask("evil.example")).await.status, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(local.send(ask("localhost:7878")).await.status, StatusCode::OK);
    let config = ServerConfig { listen: ([0, 0, 0, 0], 0).into(), ..ServerConfig::default() };
    let open = Server::new(config);
    assert_eq!(open.send(ask("games.example")).await.status, StatusCode::OK);
    let _ = web::ROUTES;
}
