//! `zermelo play`: against the perfect player, in a terminal or through a pipe.

use crate::cli::{EXIT_CODES, PlayerSide, PositionArgs, SearchArgs};
use crate::interrupt::Interrupt;
use crate::line_input::LineInput;
use crate::progress::Live;
use crate::units::{self, Time};
use crate::{End, distance, open, out, solve};
use clap::Args;
use zermelo_erased::{
    AnyGame, AnySession, Catalogue, EngineConfig, MoveValue, MoveValues, PlayedMove, tone,
};
use zermelo_game::{Bounds, Limits, Player, Report, Tone};

/// `zermelo play`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Type a move, or: hint, values, moves, back, flip (change sides), rules, help, quit. The line can be edited, and the
arrow keys bring earlier ones back. Ctrl-C and Ctrl-D leave, and say how to go on from there. Moves can also come through a pipe, one a line.

Examples:
  zermelo play tictactoe
  zermelo play breakthrough 5x5 --as second --hints
  zermelo play atarigo 4x4 --by dfpn:playouts=10k

{EXIT_CODES}"))]
pub struct PlayArgs {
    /// The game and the position.
    #[command(flatten)]
    pub start: PositionArgs,

    /// The side you play
    #[arg(long = "as", value_enum, value_name = "SIDE", default_value_t = PlayerSide::First)]
    pub side: PlayerSide,

    /// Show the value of every move before each of your moves
    #[arg(long)]
    pub hints: bool,

    /// Time to think about a question: 500ms, 90s, 10m
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, default_value = "10s")]
    pub time: Time,

    /// The engine and its limits.
    #[command(flatten)]
    pub search: SearchArgs,
}

const HELP: &str = "  MOVE     play it          hint     a good move
  moves    what is legal    values   what every move is worth
  back     take back        flip     change sides
  board    show it again    rules    of the game
  help     this             quit     leave (so does the end of input)
";

/// Plays a game.
pub fn run(catalogue: &Catalogue, args: &PlayArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let game = args.search.open(catalogue, &args.start)?;
    let session = open::session(&*game, &args.start)?;
    let engine = args.search.engine()?;
    game.accepts(&engine).map_err(open::Usage)?;
    interrupt.heed(false);
    let mut table = Table {
        game: &*game,
        session,
        engine,
        limits: args.search.limits(Some(args.time), &interrupt),
        interrupt,
        input: LineInput::new()?,
        you: args.side.into(),
        hints: args.hints,
        answer: None,
        board_is_news: true,
    };
    table.game()?;
    solve::refuse_damage(&*game)?;
    Ok(End::Done)
}

/// Two players at a board.
struct Table<'g> {
    game: &'g dyn AnyGame,
    session: Box<dyn AnySession + 'g>,
    engine: EngineConfig,
    limits: Limits,
    interrupt: Interrupt,
    input: LineInput,
    /// The side of the person.
    you: Player,
    hints: bool,
    /// What is known of the position, if it was asked already.
    answer: Option<Report<String>>,
    /// Whether the board has changed since it was last shown.
    board_is_news: bool,
}

impl Table<'_> {
    fn game(&mut self) -> anyhow::Result<()> {
        out::print(&format!(
            "{}: you are the {} player. Type a move, or help.\n",
            out::bold(self.game.name()),
            self.you
        ))?;
        loop {
            if let Some(value) = self.session.outcome() {
                out::print(&format!("\n{}{}\n", self.board(&[]), self.result(value)))?;
                return Ok(());
            }
            match self.session.repetition() {
                None => {}
                Some(Some(value)) => {
                    let (board, end) = (self.board(&[]), self.result_of_repetition(value));
                    out::print(&format!("\n{board}{end}\n"))?;
                    return Ok(());
                }
                Some(None) => {
                    let mv = self.session.take_back().unwrap_or_default();
                    out::print(&format!("{mv} is not allowed: it repeats a position.\n"))?;
                }
            }
            if self.session.turn() != self.you {
                self.reply()?;
            } else if !self.turn()? {
                let (name, position) = (self.game.name(), self.session.position());
                out::print(&format!(
                    "Bye. To go on from here: zermelo play {name} --as {} --position \"{position}\"\n",
                    self.you
                ))?;
                return Ok(());
            }
        }
    }

    /// One turn of the person. False when they leave.
    fn turn(&mut self) -> anyhow::Result<bool> {
        if self.board_is_news {
            let values = if self.hints { self.values()? } else { Vec::new() };
            out::print(&format!(
                "\n{}{}",
                self.board(&values),
                solve::list(&values, self.game.values())
            ))?;
            self.board_is_news = false;
        }
        let Some(line) = self.input.read("your move>")? else { return Ok(false) };
        // A legal move is a move, whatever its name.
        if self.session.moves().iter().any(|m| m.eq_ignore_ascii_case(&line)) {
            self.play(&line)?;
            return Ok(true);
        }
        match line.to_ascii_lowercase().as_str() {
            "" | "board" => self.board_is_news = true,
            "help" | "h" | "?" => out::print(HELP)?,
            "quit" | "q" | "exit" => return Ok(false),
            "moves" => out::print(&out::field("moves", &self.session.moves().join(" ")))?,
            "rules" => out::print(&out::paragraph(&self.game.rules()))?,
            "hint" => self.hint()?,
            "values" => {
                let values = self.values()?;
                out::print(&format!(
                    "\n{}{}",
                    self.board(&values),
                    solve::list(&values, self.game.values())
                ))?;
            }
            "back" | "undo" => self.back()?,
            "flip" => {
                self.you = self.you.other();
                out::print(&format!("You are the {} player now.\n", self.you))?;
            }
            _ => match self.session.play(&line) {
                Err(error) => out::print(&format!("{error}\n"))?,
                // Some games read moves in more than one form.
                Ok(written) => {
                    self.session.take_back();
                    self.play(&written)?;
                }
            },
        }
        Ok(true)
    }

    /// Plays the person's move, and says so if it gives something away.
    fn play(&mut self, text: &str) -> anyhow::Result<()> {
        let before = self.answer.take();
        let mv = self.session.play(text)?;
        self.board_is_news = true;
        let after = match self.session.outcome() {
            Some(value) => Bounds::exact(value),
            None => self.ask().bounds,
        };
        let now = tone(after, self.you);
        // Where the value of a repetition depends on the line, a line begins with the position that is asked about: what the
        // two positions are worth cannot be compared there.
        if now == Tone::Win || now == Tone::Open || self.game.features().path_dependent {
            return Ok(());
        }
        let answer = self.answer.take();
        let before = match before {
            Some(report) => report,
            None => {
                self.session.take_back();
                let report = self.ask();
                self.session.play(&mv)?;
                report
            }
        };
        self.answer = answer;
        let best = before.best.unwrap_or_default();
        match (tone(before.bounds, self.you), now) {
            (Tone::Win, Tone::Draw) => out::print(&format!(
                "{mv} lets the win slip: now it is a draw. {best} would have won.\n"
            )),
            (Tone::Win, _) => out::print(&format!(
                "{mv} throws the win away: now you are lost. {best} would have won.\n"
            )),
            (Tone::Draw, Tone::Loss) => out::print(&format!(
                "{mv} gives the draw away: now you are lost. {best} would have held it.\n"
            )),
            _ => Ok(()),
        }
    }

    /// The move of the perfect player.
    fn reply(&mut self) -> anyhow::Result<()> {
        let Some(PlayedMove { mv, bounds, distance, stop, .. }) = self.choose() else {
            anyhow::bail!("no move is allowed in \"{}\"", self.session.position());
        };
        let winner = match tone(bounds, self.session.turn()) {
            Tone::Win => "I win",
            _ => "you win",
        };
        let opinion = match (tone(bounds, self.session.turn()), distance) {
            (Tone::Open, _) => format!(" (not sure: {})", stop.word()),
            (_, Some(plies)) => format!(" ({winner} {})", distance::plies(plies)),
            _ => String::new(),
        };
        out::print(&format!("I play {}{opinion}.\n", out::bold(&mv)))?;
        self.session.play(&mv)?;
        self.answer = None;
        self.board_is_news = true;
        Ok(())
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        let Some(PlayedMove { mv, bounds, distance, stop, .. }) = self.choose() else {
            return out::print("No move is allowed.\n");
        };
        let soon = distance::in_plies(distance);
        let text = match tone(bounds, self.you) {
            Tone::Loss if distance.is_some() => {
                format!("Every move loses against perfect play; {mv} holds out longest{soon}.")
            }
            Tone::Loss => {
                format!("Every move loses against perfect play; {mv} is as good as any.")
            }
            Tone::Open => format!("Perhaps {mv}; who wins is not known ({}).", stop.word()),
            known => format!("{mv} {}{soon}.", out::verb(known)),
        };
        out::print(&format!("{text}\n"))
    }

    /// Takes moves back until it is the person's turn again.
    fn back(&mut self) -> anyhow::Result<()> {
        let mut taken = Vec::new();
        while let Some(mv) = self.session.take_back() {
            taken.push(mv);
            if self.session.turn() == self.you {
                self.answer = None;
                self.board_is_news = true;
                return Ok(());
            }
        }
        // The game began with the other side's move: that one stays.
        for mv in taken.iter().rev() {
            self.session.play(mv)?;
        }
        out::print("There is nothing to take back.\n")
    }

    /// What is known of the position.
    fn ask(&mut self) -> Report<String> {
        if let Some(answer) = &self.answer {
            return answer.clone();
        }
        let live = Live::of(self.game.values());
        self.interrupt.heed(true);
        let report =
            self.session.solve(&self.engine, &self.limits, &|progress| live.show(progress));
        self.interrupt.heed(false);
        self.answer = Some(report.clone());
        report
    }

    /// What the perfect player would play.
    fn choose(&mut self) -> Option<PlayedMove> {
        let live = Live::new();
        self.interrupt.heed(true);
        let chosen =
            self.session.choose(&self.engine, &self.limits, &|progress| live.show(progress));
        self.interrupt.heed(false);
        chosen
    }

    fn values(&mut self) -> anyhow::Result<Vec<MoveValue>> {
        let live = Live::of(self.game.values());
        self.interrupt.heed(true);
        let found =
            self.session.solve_moves(&self.engine, &self.limits, &|progress| live.show(progress));
        self.interrupt.heed(false);
        let MoveValues { report, moves } = found?;
        self.answer = Some(report);
        Ok(moves)
    }

    fn board(&self, values: &[MoveValue]) -> String {
        let marks = values.iter().filter_map(MoveValue::mark).collect();
        out::board(&self.session.picture().with_marks(marks))
    }

    fn result_of_repetition(&self, value: i16) -> String {
        match tone(Bounds::exact(value), self.you) {
            Tone::Win => "The position is repeated, which ends the game: you have won.".into(),
            Tone::Loss => "The position is repeated, which ends the game: you have lost.".into(),
            _ => "A draw by repetition.".into(),
        }
    }

    fn result(&self, value: i16) -> String {
        match tone(Bounds::exact(value), self.you) {
            Tone::Win => "You have won.".into(),
            Tone::Loss => "You have lost.".into(),
            _ => "A draw.".into(),
        }
    }
}
