import type { QuoteBody } from './make-quote.ts'

/** What the provider does with a request for a quote that it could answer honestly. */
export type Behaviour = (quote: QuoteBody) => Reply | Promise<Reply>

/** An answer; or `hang` to say nothing, or `cut` to break off in its middle. */
export type Reply =
  | 'hang'
  | 'cut'
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }

/** Answers honestly. */
export const HONEST: Behaviour = (quote) => ({ status: 200, body: quote })

/** Answers with something changed. */
export function lie(change: (quote: QuoteBody) => void): Behaviour {
  return (quote) => {
    const body = structuredClone(quote)
    change(body)
    return { status: 200, body }
  }
}

/** Refuses as 0x does. */
export function refuse(status: number, name: string): Behaviour {
  return ({ zid }) => ({ status, body: { name, message: 'a text of theirs', data: { zid } } })
}

/** What the provider on the devnet can be told to do, by name. */
export const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  honest: HONEST,
  hang: () => 'hang',
  cut: () => 'cut',
  throttle: refuse(429, 'RATE_LIMITED'),
  down: refuse(500, 'INTERNAL_SERVER_ERROR'),
  'no-liquidity': ({ zid }) => ({ status: 200, body: { liquidityAvailable: false, zid } }),
  'lie-about-recipient': lie((quote) => {
    quote.transaction.data = replaceWord(quote.transaction.data, 0, '66'.repeat(20))
  }),
}

/** Replaces the word at a place behind the selector, filled up with zeros from the left. */
export function replaceWord(data: string, index: number, digits: string): string {
  const start = 10 + 64 * index
  return data.slice(0, start) + digits.padStart(64, '0') + data.slice(start + 64)
}
