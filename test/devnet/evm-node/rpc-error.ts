import type { Hex } from 'viem'

/** What a node answers instead of a result. */
export class RpcError extends Error {
  readonly code: number
  readonly data: Hex | undefined

  constructor(options: { readonly code: number; readonly message: string; readonly data?: Hex }) {
    super(options.message)
    this.code = options.code
    this.data = options.data
  }
}
