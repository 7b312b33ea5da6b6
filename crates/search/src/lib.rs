//! Solvers that search forward, generic over [`zermelo_game::Game`].
