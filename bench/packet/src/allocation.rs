//! A global allocator that counts, and only while it is asked to.
//!
//! Speed is measured with counting off, which leaves one relaxed load per allocation. The program
//! has one thread, so plain loads and stores of the counters are exact.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Counts what the code between [`measure`]'s braces allocates.
pub struct Counting;

static IS_ON: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// What a piece of code allocated, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Allocated {
    /// The most that was held at one time.
    pub peak: usize,
    /// Everything that was asked for, whether or not it was given back.
    pub total: usize,
}

/// Runs `code` and counts what it allocates.
pub fn measure<T>(code: impl FnOnce() -> T) -> (T, Allocated) {
    LIVE.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    TOTAL.store(0, Relaxed);
    IS_ON.store(true, Relaxed);
    let result = code();
    IS_ON.store(false, Relaxed);
    (result, Allocated { peak: PEAK.load(Relaxed), total: TOTAL.load(Relaxed) })
}

fn grew(bytes: usize) {
    if IS_ON.load(Relaxed) {
        let live = LIVE.load(Relaxed) + bytes;
        LIVE.store(live, Relaxed);
        PEAK.store(PEAK.load(Relaxed).max(live), Relaxed);
        TOTAL.store(TOTAL.load(Relaxed) + bytes, Relaxed);
    }
}

fn shrank(bytes: usize) {
    if IS_ON.load(Relaxed) {
        // What was allocated before counting began may be given back while it is on.
        LIVE.store(LIVE.load(Relaxed).saturating_sub(bytes), Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator with the layout it came with; the counters
// never touch the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller keeps the rules of `alloc`, which are the same there.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        shrank(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The worst case: the old block and the new one stand side by side while it is copied.
        grew(size);
        shrank(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
