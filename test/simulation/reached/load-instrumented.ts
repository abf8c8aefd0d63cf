import type { InitializeHook, LoadHook } from 'node:module'

let codeOf = new Map<string, string>()

export const initialize: InitializeHook<readonly (readonly [string, string])[]> = (sources) => {
  codeOf = new Map(sources)
}

/** Loads the instrumented code of a file, or the file itself if it has no markers. */
export const load: LoadHook = (url, context, next) => {
  const source = codeOf.get(url)
  return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
}
