//! Certificates of a game whose type is forgotten: what of them holds, and what they say.

use crate::database::Folder;
use crate::game::Erased;
use zermelo_certificate::check::{self, CheckSummary};
use zermelo_certificate::explain::{self, Detail, Explanation};
use zermelo_certificate::{Certificate, Refusal, Walk, walk};
use zermelo_game::boxed::BoxShape;

/// What can be done with certificates of a game, by its rules alone. The folder is the database at hand, for those that rest
/// on one.
pub trait AnyCertificates {
    /// Checks a certificate.
    fn check(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        folder: Option<&Folder>,
    ) -> Result<CheckSummary, Refusal>;
    /// Checks it and tells its story.
    fn explain(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        detail: &Detail,
        folder: Option<&Folder>,
    ) -> Result<Explanation, Refusal>;
    /// Checks it and opens it to be walked through. It must not rest on a database.
    fn walk(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
    ) -> Result<Box<dyn Walk>, Refusal>;
}

impl<S: BoxShape> AnyCertificates for Erased<S> {
    fn check(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        folder: Option<&Folder>,
    ) -> Result<CheckSummary, Refusal> {
        self.native.check(certificate, limits, folder)
    }

    fn explain(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
        detail: &Detail,
        folder: Option<&Folder>,
    ) -> Result<Explanation, Refusal> {
        let database = self.native.inner().oracle(certificate, folder)?;
        let book = self.rule_book().with_database(database.as_deref());
        explain::explain(book, certificate, limits, detail)
    }

    fn walk(
        &self,
        certificate: &Certificate,
        limits: &check::CheckLimits,
    ) -> Result<Box<dyn Walk>, Refusal> {
        walk::open(self.rules.clone(), self.rules.superko(), certificate, limits)
    }
}
