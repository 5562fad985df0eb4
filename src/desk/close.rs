//! Asks windows of the X11 desktop to close, as their title bar's button does. The driver has no
//! way to do this in the background there. An app may answer with a question, and stay.

#[cfg(target_os = "linux")]
use anyhow::Context;
use anyhow::{Result, bail};

use super::request::Window;

/// Asks these windows to close. Ids are the desktop's own.
#[cfg(target_os = "linux")]
pub fn ask(windows: &[Window]) -> Result<()> {
    use x11rb::connection::Connection as _;
    use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, EventMask};
    const WHAT: &str = "could not reach the X11 desktop to close windows";
    let (desktop, _) = x11rb::connect(None).context(WHAT)?;
    let atom = |name: &[u8]| -> Result<u32> {
        Ok(desktop
            .intern_atom(false, name)
            .context(WHAT)?
            .reply()
            .context(WHAT)?
            .atom)
    };
    // https://www.x.org/releases/X11R7.6/doc/xorg-docs/specs/ICCCM/icccm.html section 4.2.8
    let (protocols, delete) = (atom(b"WM_PROTOCOLS")?, atom(b"WM_DELETE_WINDOW")?);
    for window in windows {
        let Ok(id) = u32::try_from(window.id) else {
            bail!("{WHAT}: {} is no window of it", window.id);
        };
        let message = ClientMessageEvent::new(32, id, protocols, [delete, 0, 0, 0, 0]);
        desktop
            .send_event(false, id, EventMask::NO_EVENT, message)
            .context(WHAT)?;
    }
    desktop.flush().context(WHAT)
}

/// Nothing to ask with.
#[cfg(not(target_os = "linux"))]
pub fn ask(_: &[Window]) -> Result<()> {
    bail!("could not close windows: only done on X11 desktops")
}
