import type { Hex } from '../../domain/address.ts'
import type { NodeName } from '../../domain/node-config.ts'

/** Who runs a node. Nodes of one operator have one vote together. */
export type Operator = string

/** A source that can be asked: a node, or one of the two APIs of a TRON node. */
export type Voter = {
  readonly name: NodeName
  readonly operator: Operator
  /** Which of the node's APIs responds; `null` where a node has one API. */
  readonly api?: string | null
}

/** One voter said so. Nothing that moves money accepts a `NodeReport`. */
export type NodeReport<T> = {
  readonly node: NodeName
  readonly operator: Operator
  readonly api: string | null
  readonly value: T
}

/** A voter that gave no usable response, and the reason. */
export type SilentNode = { readonly node: NodeName; readonly operator: Operator; readonly error: unknown }

/** What the voters of a chain responded to one question. */
export type Responses<T> = {
  readonly reports: readonly NodeReport<T>[]
  readonly silent: readonly SilentNode[]
}

/** A block of a chain. */
export type BlockRef = {
  readonly number: number
  readonly hash: Hex
  /** Unix seconds. */
  readonly timestamp: number
}
