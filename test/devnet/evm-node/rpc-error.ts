import type { Hex } from 'viem'

/** An error response of a node. */
export class RpcError extends Error {
  readonly code: number
  readonly data: Hex | undefined

  constructor(options: { readonly code: number; readonly message: string; readonly data?: Hex }) {
    super(options.message)
    this.code = options.code
    this.data = options.data
  }
}
