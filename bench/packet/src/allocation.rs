//! A global allocator that counts on request.
//!
//! Speed is measured with counting off, which leaves one relaxed load per allocation. The program
//! has one thread, so plain loads and stores of the counters are exact.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};

/// Counts allocations inside [`measure`].
pub struct Counting;

static IS_ON: AtomicBool = AtomicBool::new(false);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static TOTAL: AtomicUsize = AtomicUsize::new(0);

/// The allocations of a piece of code, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Allocated {
    /// The peak.
    pub peak: usize,
    /// The total, whether or not it was freed.
    pub total: usize,
}

/// Runs `code` and counts its allocations.
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
        // Memory allocated before counting started may be freed while it is on.
        LIVE.store(LIVE.load(Relaxed).saturating_sub(bytes), Relaxed);
    }
}

// SAFETY: every call is forwarded to the system allocator with its layout; the counters never touch
// the memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grew(layout.size());
        // SAFETY: the caller upholds the contract of `alloc`, which is the same there.
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
        // The worst case: the old and the new block exist side by side during the copy.
        grew(size);
        shrank(layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}
