//! The page: files that are built from `web/` and kept in `page/`, so that whoever has the program has the page. They are
//! all there is: what is not in the list is not found.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

/// The files by their paths, each with its type.
pub const FILES: &[(&str, &str, &[u8])] = &[
    ("/", "text/html; charset=utf-8", include_bytes!("../page/index.html")),
    ("/app.js", "text/javascript; charset=utf-8", include_bytes!("../page/app.js")),
    ("/app.css", "text/css; charset=utf-8", include_bytes!("../page/app.css")),
    ("/icon.svg", "image/svg+xml", include_bytes!("../page/icon.svg")),
];

/// A file of the page.
pub fn file(path: &str) -> Response {
    match FILES.iter().find(|(name, ..)| *name == path) {
        Some((_, kind, content)) => {
            ([(header::CONTENT_TYPE, *kind), (header::CACHE_CONTROL, "no-cache")], *content)
                .into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
