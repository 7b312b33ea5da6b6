//! Files that go through the engine's object store, under their digests: put once, fetched by whoever needs them, and
//! believed only if the digest is right.

use crate::wire::{SliceObject, Wire, patiently};
use async_nats::jetstream::object_store::{Config, GetErrorKind, InfoErrorKind, ObjectStore};
use std::path::Path;
use std::time::Duration;
use tokio::fs::{self, File};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use zermelo_game::file::PART;

/// What is read or written at a time.
const BLOCK: usize = 1 << 17;
/// If nothing comes for so long, it is tried again.
const SILENCE: Duration = Duration::from_secs(10);
/// So many tries to fetch an object, then it is taken for lost.
const TRIES: u32 = 30;
/// The most bytes of an object: nobody makes larger slices, and a server that sends more must not fill the disk.
const LARGEST: u64 = 64 << 30;
/// Between them.
const PAUSE: Duration = Duration::from_millis(500);

/// The digest of a file.
pub fn digest(path: &Path) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    std::io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// So many times what comes may be wrong, then it is thrown away.
const DAMAGED: u32 = 3;

/// Why an object was not fetched.
enum Unfetched {
    /// Nobody has put it.
    Lost,
    /// Part of it is missing, or wrong.
    Damaged(String),
    /// It may come the next time.
    Later(String),
}

impl Wire {
    fn bucket_name(&self) -> String {
        format!("ZERMELO_{}_SLICES", self.farm)
    }

    /// The bucket, made where it is not there.
    async fn bucket(&self) -> Result<ObjectStore, String> {
        if let Ok(bucket) = self.js.get_object_store(self.bucket_name()).await {
            return Ok(bucket);
        }
        let config = Config { bucket: self.bucket_name(), ..Config::default() };
        self.js.create_object_store(config).await.map_err(|e| e.to_string())
    }

    /// Throws all objects away.
    pub async fn drop_objects(&self) -> Result<(), String> {
        let gone = self.js.delete_object_store(self.bucket_name()).await;
        gone.map_err(|e| e.to_string())
    }

    /// Puts a file, unless it is there: until the server has it.
    pub async fn put(&self, path: &Path, digest: &str) {
        patiently(|| async {
            let bucket = self.bucket().await?;
            match bucket.info(digest).await {
                Ok(info) if !info.deleted => return Ok(()),
                Err(e) if e.kind() != InfoErrorKind::NotFound => return Err(e.to_string()),
                _ => {}
            }
            let mut file = File::open(path).await.map_err(|e| e.to_string())?;
            bucket.put(digest, &mut file).await.map(|_| ()).map_err(|e| e.to_string())
        })
        .await;
    }

    /// Fetches a file into a folder. What is there under its name afterwards is whole and has the right digest.
    pub async fn fetch(&self, slice: &SliceObject, to: &Path) -> Result<(), String> {
        let (mut why, mut damaged) = (String::new(), 0);
        for _ in 0..TRIES {
            match self.try_fetch(slice, to).await {
                Ok(()) => return Ok(()),
                Err(Unfetched::Lost) => {
                    return Err(format!("the slice {} is not on the server", slice.name));
                }
                Err(Unfetched::Damaged(words)) => (why, damaged) = (words, damaged + 1),
                Err(Unfetched::Later(words)) => why = words,
            }
            if damaged >= DAMAGED {
                if let Ok(bucket) = self.bucket().await {
                    let _ = bucket.delete(&slice.digest).await;
                }
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(format!("the slice {} does not come: {why}", slice.name))
    }

    /// One try. What did not come whole is removed again.
    async fn try_fetch(&self, slice: &SliceObject, to: &Path) -> Result<(), Unfetched> {
        let part = to.with_added_extension(PART);
        let fetched = self.fetch_part(slice, &part).await;
        let named = match fetched {
            Ok(()) => fs::rename(&part, to).await.map_err(|e| Unfetched::Later(e.to_string())),
            failed => failed,
        };
        if named.is_err() {
            let _ = fs::remove_file(&part).await;
        }
        named
    }

    async fn fetch_part(&self, slice: &SliceObject, part: &Path) -> Result<(), Unfetched> {
        let later = |words: String| Unfetched::Later(words);
        let io = |e: std::io::Error| Unfetched::Later(e.to_string());
        let bucket = self.bucket().await.map_err(later)?;
        let object = match bucket.get(&slice.digest).await {
            Ok(object) => object,
            Err(e) if e.kind() == GetErrorKind::NotFound => return Err(Unfetched::Lost),
            Err(e) => return Err(later(e.to_string())),
        };
        let mut object = object.take(LARGEST + 1);
        let mut file = File::create(part).await.map_err(io)?;
        let mut hasher = blake3::Hasher::new();
        let mut block = vec![0; BLOCK];
        loop {
            let read = tokio::time::timeout(SILENCE, object.read(&mut block)).await;
            let read = read.map_err(|_| Unfetched::Damaged("nothing more comes".into()))?;
            let read = read.map_err(|e| Unfetched::Damaged(e.to_string()))?;
            if read == 0 {
                break;
            }
            hasher.update(&block[..read]);
            file.write_all(&block[..read]).await.map_err(io)?;
        }
        file.flush().await.map_err(io)?;
        if object.limit() == 0 {
            return Err(Unfetched::Damaged(format!("it is larger than {LARGEST} bytes")));
        }
        match hasher.finalize().to_hex().as_str() == slice.digest {
            true => Ok(()),
            false => Err(Unfetched::Damaged("what comes has another digest".into())),
        }
    }
}
