/** A fixture that takes long to start and is shared by consecutive test files. */
export type SharedByFiles<Value> = {
  /**
   * Returns the fixture, and starts it unless it is running. A caller passes the name of its file, and must leave the
   * fixture in its initial state.
   */
  readonly of: (file: string) => Promise<Value>
}

type Running = { readonly stop: () => Promise<void>; readonly askers: Set<string> }

const running = new Set<Running>()

/**
 * Creates a shared fixture. The fixture is stopped after all tests, or when a test starts in a file that has not
 * requested the fixture, because even an idle devnet uses CPU time.
 */
export function sharedByFiles<Value>(
  start: () => Promise<{ readonly value: Value; readonly stop: () => Promise<void> }>,
): SharedByFiles<Value> {
  let current: (Running & { readonly value: Promise<Value> }) | null = null
  const begin = () => {
    const started = start()
    const stop = async () => {
      running.delete(begun)
      current = null
      await (await started.catch(() => null))?.stop()
    }
    const begun = { value: started.then(({ value }) => value), stop, askers: new Set<string>() }
    running.add(begun)
    return begun
  }
  return {
    of: (file) => {
      current ??= begin()
      current.askers.add(file)
      return current.value
    },
  }
}

/** Stops every fixture that the file has not requested; without a file, every fixture. */
export async function endUnshared(file: string | null): Promise<void> {
  for (const { askers, stop } of [...running]) if (file === null || !askers.has(file)) await stop()
}
