import { type PacerOf, type Pacing, type Priority, UNPACED } from './pacing.ts'

/** Returns the pacing of a node for a user of this priority. */
export function toPacing(
  {
    pacerOf,
    priority = 'payment',
  }: { readonly pacerOf?: PacerOf | undefined; readonly priority?: Priority | undefined },
  url: string,
): Pacing {
  return pacerOf === undefined ? UNPACED : { pacer: pacerOf(url), priority }
}
