import type { QuoteBody } from './make-quote.ts'

/** Returns the provider's response to a valid quote request, given the honest quote. */
export type Behaviour = (quote: QuoteBody) => Reply | Promise<Reply>

/** A response, `hang` to send no response, or `cut` to close the connection within a response. */
export type Reply =
  | 'hang'
  | 'cut'
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }

export const HONEST: Behaviour = (quote) => ({ status: 200, body: quote })

/** Returns a behaviour that responds with the honest quote after `change`. */
export function lie(change: (quote: QuoteBody) => void): Behaviour {
  return (quote) => {
    const body = structuredClone(quote)
    change(body)
    return { status: 200, body }
  }
}

/** Returns a behaviour that rejects the request in the format of 0x. */
export function refuse(status: number, name: string): Behaviour {
  return ({ zid }) => ({ status, body: { name, message: 'a message from the provider', data: { zid } } })
}

/** The behaviours that the devnet's provider supports, by name. */
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

/** Replaces the 32-byte word at this index after the selector. Pads `digits` with zeros on the left. */
export function replaceWord(data: string, index: number, digits: string): string {
  const start = 10 + 64 * index
  return data.slice(0, start) + digits.padStart(64, '0') + data.slice(start + 64)
}
