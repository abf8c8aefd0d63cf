/** Uses the origin's storage; returns `null` if that fails, for example because the browser blocks storage. */
export function withStorage<Result>(use: (storage: Storage) => Result): Result | null {
  try {
    return use(localStorage)
  } catch {
    return null
  }
}
