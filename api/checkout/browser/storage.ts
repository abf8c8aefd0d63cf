/** Uses the storage of the page's origin; returns `null` if that fails, for example because the browser blocks it. */
export function withStorage<Result>(use: (storage: Storage) => Result): Result | null {
  try {
    return use(localStorage)
  } catch {
    return null
  }
}
