//! `zermelo play`: against the perfect player, in a terminal or through a pipe.

use crate::cli::{EXIT_CODES, Effort, Side, Where};
use crate::interrupt::Interrupt;
use crate::progress::Live;
use crate::units::{self, Time};
use crate::{End, open, out, solve};
use clap::Args;
use std::io::{self, BufRead, IsTerminal};
use zermelo_any::{AnyGame, AnySession, How, MoveValue, MoveValues, tone};
use zermelo_game::{Bounds, Limits, Player, Report, Tone};

/// `zermelo play`
#[derive(Args, Debug)]
#[command(after_help = format!("\
Type a move, or: hint, values, moves, back, flip (change sides), rules, help, quit.
Moves can also come through a pipe, one a line.

Examples:
  zermelo play tictactoe
  zermelo play breakthrough 5x5 --as second --hints

{EXIT_CODES}"))]
pub struct PlayArgs {
    /// The game and the position.
    #[command(flatten)]
    pub place: Where,

    /// The side you play
    #[arg(long = "as", value_enum, value_name = "SIDE", default_value_t = Side::First)]
    pub side: Side,

    /// Show the value of every move before each of your moves
    #[arg(long)]
    pub hints: bool,

    /// Time to think about a question: 500ms, 90s, 10m
    #[arg(long, value_name = "TIME", value_parser = units::parse_time, default_value = "10s")]
    pub time: Time,

    /// The solver and its limits.
    #[command(flatten)]
    pub effort: Effort,
}

const HELP: &str = "  MOVE     play it          hint     a good move
  moves    what is legal    values   what every move is worth
  back     take back        flip     change sides
  board    show it again    rules    of the game
  help     this             quit     leave (so does the end of input)
";

/// Plays a game.
pub fn run(args: &PlayArgs) -> anyhow::Result<End> {
    let interrupt = Interrupt::listen()?;
    let game = args.effort.open(&args.place.game)?;
    let session = open::session(&*game, &args.place)?;
    let how = args.effort.how();
    how.fits(&*game).map_err(open::Usage)?;
    interrupt.heed(false);
    let mut table = Table {
        game: &*game,
        session,
        how,
        limits: args.effort.limits(Some(args.time), &interrupt),
        interrupt,
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
    how: How,
    limits: Limits,
    interrupt: Interrupt,
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
            out::print(&format!("\n{}{}", self.board(&values), solve::list(&values)))?;
            self.board_is_news = false;
        }
        out::print(&format!("{} ", out::bold("your move>")))?;
        let Some(line) = read_line()? else {
            out::print("\n")?;
            return Ok(false);
        };
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
                out::print(&format!("\n{}{}", self.board(&values), solve::list(&values)))?;
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
        if now == Tone::Win || now == Tone::Open {
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
        let report = self.ask();
        let Some(mv) = report.best.or_else(|| self.session.moves().into_iter().next()) else {
            anyhow::bail!("the solver names no move in \"{}\"", self.session.position());
        };
        let opinion = match tone(report.bounds, self.session.turn()) {
            Tone::Open => format!(" (not sure: {})", report.stop.word()),
            _ => String::new(),
        };
        out::print(&format!("I play {}{opinion}.\n", out::bold(&mv)))?;
        self.session.play(&mv)?;
        self.answer = None;
        self.board_is_news = true;
        Ok(())
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        let report = self.ask();
        let best = report.best.unwrap_or_default();
        let text = match tone(report.bounds, self.you) {
            Tone::Loss => {
                format!("Every move loses against perfect play; {best} is as good as any.")
            }
            Tone::Open => {
                format!("Perhaps {best}; who wins is not known ({}).", report.stop.word())
            }
            known => format!("{best} {}.", out::verb(known)),
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
        let live = Live::new();
        self.interrupt.heed(true);
        let report = self.session.solve(&self.how, &self.limits, &|progress| live.show(progress));
        self.interrupt.heed(false);
        self.answer = Some(report.clone());
        report
    }

    fn values(&mut self) -> anyhow::Result<Vec<MoveValue>> {
        let live = Live::new();
        self.interrupt.heed(true);
        let found =
            self.session.solve_moves(&self.how, &self.limits, &|progress| live.show(progress));
        self.interrupt.heed(false);
        let MoveValues { report, moves } = found?;
        self.answer = Some(report);
        Ok(moves)
    }

    fn board(&self, values: &[MoveValue]) -> String {
        let marks = values.iter().filter_map(MoveValue::mark).collect();
        out::board(&self.session.picture().with_marks(marks))
    }

    fn result(&self, value: i16) -> String {
        match tone(Bounds::exact(value), self.you) {
            Tone::Win => "You have won.".into(),
            Tone::Loss => "You have lost.".into(),
            _ => "A draw.".into(),
        }
    }
}

/// A line of input; `None` at its end. What comes through a pipe is printed too, so that the output
/// reads like a game at a terminal.
fn read_line() -> anyhow::Result<Option<String>> {
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let line = line.trim().to_owned();
    if !io::stdin().is_terminal() {
        out::print(&format!("{line}\n"))?;
    }
    Ok(Some(line))
}
