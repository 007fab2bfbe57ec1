// The errors of recorders and stores of sessions.

/**
 * Why a session could not be recorded, saved, loaded or deleted. `InvalidSession`: the value or the stored text is no session.
 * `UnsupportedVersion`: a newer version of this package stored it. `Locked`: another process is saving it. `StorageFull`: the disk, or the
 * quota of the user, is full. `NotInMemory`: the recorder removed the session, which has to be resumed. `Io`: any other error of the storage, which is the `cause`.
 */
export type SessionErrorKind =
  | "NotFound"
  | "InvalidId"
  | "InvalidSession"
  | "UnsupportedVersion"
  | "TooLarge"
  | "Locked"
  | "StorageFull"
  | "NotInMemory"
  | "Io";

/** An error of a recorder or a store of sessions. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly kind: SessionErrorKind;

  constructor(kind: SessionErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }

  /** The error of a session that a store does not have. */
  static notFound(sessionId: string): SessionError {
    return new SessionError("NotFound", `There is no session ${JSON.stringify(sessionId)}.`);
  }
}
