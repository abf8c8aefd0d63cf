import type { Hex } from '../../domain/address.ts'
import type { NodeName } from '../../domain/node-config.ts'

/** The company or person that runs a node. All nodes of one operator share one vote. */
export type Operator = string

/** A source of responses: a node, or one of the two APIs of a TRON node. */
export type Voter = {
  readonly name: NodeName
  readonly operator: Operator
  /** The node's API that responds; `null` if the node has only one. */
  readonly api?: string | null
}

/** A value that one voter reported. Code that moves money must not use a `NodeReport`. */
export type NodeReport<T> = {
  readonly node: NodeName
  readonly operator: Operator
  readonly api: string | null
  readonly value: T
}

/** A voter without a usable response, and the reason. */
export type SilentNode = { readonly node: NodeName; readonly operator: Operator; readonly error: unknown }

/** The responses of a chain's voters to one query. */
export type Responses<T> = {
  readonly reports: readonly NodeReport<T>[]
  readonly silent: readonly SilentNode[]
}

export type BlockRef = {
  readonly number: number
  readonly hash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}
