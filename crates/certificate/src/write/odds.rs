//! Which positions are worth a search before they are left to the checker.

/// How often positions turn out to be short searches, ply by ply: most that are far from the end do not, and
/// are not tried every time.
#[derive(Default)]
pub(super) struct SearchOdds(Vec<Tries>);

#[derive(Clone, Copy, Default)]
struct Tries {
    met: u32,
    tried: u32,
    short: u32,
}

impl SearchOdds {
    fn at(&mut self, ply: u32) -> &mut Tries {
        let ply = ply as usize;
        if self.0.len() <= ply {
            self.0.resize(ply + 1, Tries::default());
        }
        &mut self.0[ply]
    }

    /// Whether one in eight was short lately; if not, every sixteenth is tried.
    pub(super) fn worth_a_try(&mut self, ply: u32) -> bool {
        let tries = self.at(ply);
        tries.met = tries.met.wrapping_add(1);
        tries.short * 8 >= tries.tried || tries.met.is_multiple_of(16)
    }

    /// A position at this ply was searched, and turned out to be short or not.
    pub(super) fn learn(&mut self, ply: u32, short: bool) {
        let tries = self.at(ply);
        tries.tried += 1;
        tries.short += u32::from(short);
        if tries.tried == 1 << 12 {
            tries.tried /= 2;
            tries.short /= 2;
        }
    }
}
