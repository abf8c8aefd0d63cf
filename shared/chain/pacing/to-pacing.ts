import { type PacerOf, type Pacing, type Priority, UNPACED } from './pacing.ts'

/** Returns the pacing of a client's requests to a node; without `pacerOf`, every request is sent immediately. */
export function toPacing(
  {
    pacerOf,
    priority = 'payment',
  }: { readonly pacerOf?: PacerOf | undefined; readonly priority?: Priority | undefined },
  url: string,
): Pacing {
  return pacerOf === undefined ? UNPACED : { pacer: pacerOf(url), priority }
}
