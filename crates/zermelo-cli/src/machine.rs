//! What the machine says: free memory, free disk.

use std::fs::read_to_string;
use std::path::Path;

/// The most that tables get where the user names no number.
const MOST: u64 = 4 << 30;

/// Memory for tables where the user names no number: half of what is free, 4 GiB at most; 1 GiB
/// where the system does not tell.
#[must_use]
pub fn default_memory() -> u64 {
    let free = read_to_string("/proc/meminfo").ok().and_then(|text| available(&text));
    // A container may allow less than the machine has.
    let number = |file: &str| read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let allowed = number("/sys/fs/cgroup/memory.max")
        .map(|max| max.saturating_sub(number("/sys/fs/cgroup/memory.current").unwrap_or(0)));
    match free.into_iter().chain(allowed).min() {
        Some(free) => (free / 2).min(MOST),
        None => 1 << 30,
    }
}

/// The bytes that are free on the disk of a folder, or of the nearest folder above it that exists; `None` if the system
/// does not tell.
#[must_use]
pub fn free_disk(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|f| f.exists()).unwrap_or(Path::new("."));
    let there = if there.as_os_str().is_empty() { Path::new(".") } else { there };
    let disk = nix::sys::statvfs::statvfs(there).ok()?;
    disk.blocks_available().checked_mul(disk.fragment_size())
}

/// The bytes that `/proc/meminfo` calls available.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read() {
        let text = "MemTotal:       16384000 kB\nMemAvailable:    8192000 kB\n";
        assert_eq!(available(text), Some(8_192_000 * 1024));
        assert_eq!(available("MemTotal: 5 kB"), None);
        assert!(default_memory() <= MOST);
    }
}
