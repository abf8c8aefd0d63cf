/** What takes long to start, for the files of tests that ask for it one after another. */
export type SharedByFiles<Value> = {
  /**
   * Starts the fixture unless it runs. A caller names its file, and leaves the fixture in its initial state.
   */
  readonly of: (file: string) => Promise<Value>
}

type Running = { readonly stop: () => Promise<void>; readonly askers: Set<string> }

const running = new Set<Running>()

/**
 * It ends when a test of another file starts that has not requested it, or after all tests, because even an
 * idle devnet uses CPU time.
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

/** Ends everything that the file does not share; without a file, everything. */
export async function endUnshared(file: string | null): Promise<void> {
  for (const { askers, stop } of [...running]) if (file === null || !askers.has(file)) await stop()
}
