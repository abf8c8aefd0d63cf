/** What takes long to start, for the files of tests that ask for it one after another. */
export type SharedByFiles<Value> = {
  /** Starts it unless it runs. Who asks names his file, and leaves it as he found it. */
  readonly of: (file: string) => Promise<Value>
}

type Running = { readonly stop: () => Promise<void>; readonly askers: Set<string> }

const running = new Set<Running>()

/** It ends when a test of a file begins that has not asked for it, or all tests have run: idle, a devnet computes on. */
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

/** Ends what nobody shares any longer; of no file: everything. */
export async function endUnshared(file: string | null): Promise<void> {
  for (const { askers, stop } of [...running]) if (file === null || !askers.has(file)) await stop()
}
