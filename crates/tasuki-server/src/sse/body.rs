//! A body that is produced step by step, each step only after the previous one was consumed.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Bytes;
use hyper::body::{Body, Frame};

use super::Stream;

type Step = Pin<Box<dyn Future<Output = Option<(Bytes, Stream)>> + Send>>;

/// The body of a stream; `None` once it has ended.
pub(super) struct StreamBody(Option<Step>);

impl StreamBody {
    pub(super) fn new(stream: Stream) -> Self {
        Self(Some(Box::pin(stream.next())))
    }
}

impl Body for StreamBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let Some(step) = &mut self.0 else { return Poll::Ready(None) };
        let next = ready!(step.as_mut().poll(context));
        let (bytes, stream) =
            next.map_or((None, None), |(bytes, stream)| (Some(bytes), Some(stream)));
        self.0 = stream.map(|stream| Box::pin(stream.next()) as Step);
        Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
