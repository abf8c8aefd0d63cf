import type { InitializeHook, LoadHook } from 'node:module'

/** The compiled code of the instrumented files, by URL. */
let codeOf = new Map<string, string>()

export const initialize: InitializeHook<readonly (readonly [string, string])[]> = (sources) => {
  codeOf = new Map(sources)
}

/** Loads the instrumented code of a file instead of the file. */
export const load: LoadHook = (url, context, next) => {
  const source = codeOf.get(url)
  return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
}
