export type RecordedToken = { readonly address: string; readonly decimals: number }

/** A chain, as the record's first entry describes it. */
export type RecordedNetwork = {
  readonly network: string
  readonly rpcUrl: string
  readonly confirmations: number
  readonly tokens: Readonly<Record<string, RecordedToken>>
}

/** Fields of an entry except its time. Bodies and other texts are recorded unchanged. */
export type Fact =
  /** The first entry of a record. */
  | { readonly type: 'setup'; readonly networks: readonly RecordedNetwork[] }
  | {
      readonly type: 'request'
      readonly id: number
      readonly organization: string
      readonly method: string
      readonly path: string
      readonly body: string | null
    }
  | { readonly type: 'response'; readonly id: number; readonly status: number; readonly body: string }
  /** A request without a complete JSON or empty response. The service might have processed the request. */
  | { readonly type: 'lost'; readonly id: number; readonly reason: string }
  /** A request that an organization's webhook endpoint received, and the endpoint's response status. */
  | {
      readonly type: 'delivery'
      readonly organization: string
      readonly deliveryId: string
      readonly body: string
      readonly status: number
    }
  /** A frame of a stream. Each connection has its own number. */
  | {
      readonly type: 'frame'
      readonly organization: string
      readonly path: string
      readonly connection: number
      readonly event: string
      readonly data: string
    }
  /** The height of a chain, requested directly from its node at `askedMs`. */
  | {
      readonly type: 'head'
      readonly network: string
      readonly number: number
      readonly askedMs: number
    }
  | { readonly type: 'fault'; readonly name: string; readonly phase: 'begins' | 'ends' }
  /** The end of the wait for final charges. The next requests read the final state. */
  | { readonly type: 'quiet' }
  /** A transfer of a configured token to or from a charge's address, in the canonical chain at the end of the run. */
  | ({ readonly type: 'transfer'; readonly from: string; readonly to: string } & ChainLog)
  /** A distribution by a charge's split, in the canonical chain at the end of the run. */
  | ({ readonly type: 'distribution'; readonly split: string; readonly distributor: string } & ChainLog)

export type ChainLog = {
  readonly network: string
  readonly token: string
  readonly txHash: string
  readonly logIndex: number
  readonly block: number
  /** Unix seconds. */
  readonly timestamp: number
  /** In atomic units. */
  readonly value: string
}

/** One line of a record. */
export type Entry = Fact & {
  /** Unix milliseconds on the recording process's clock, which never goes back. */
  readonly atMs: number
}

/** Parses the text of a record: one JSON object per line. */
export function parseRecord(text: string): readonly Entry[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Entry)
}
