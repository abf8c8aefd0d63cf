import { EVM, type EVMResult, type Message } from '@ethereumjs/evm'
import { bytesToHex, type Address as EvmAddress } from '@ethereumjs/util'
import { type Address, isAddressEqual, zeroAddress } from 'viem'

import { ARC_USDC, NATIVE_COIN_AUTHORITY } from './addresses.ts'
import { isBlocklisted, revert } from './native-coin.ts'

/**
 * An EVM whose native coin is USDC. A call with value fails if its sender or recipient is on the issuer's blocklist, or
 * if the recipient is the zero address or a precompile. Only the USDC token may call NativeCoinAuthority.
 */
export class ArcEvm extends EVM {
  protected override async _executeCall(message: CallMessage): Promise<EVMResult> {
    const problem = await this.#problemOf(message)
    // oxlint-disable-next-line no-underscore-dangle -- the package's own name
    return problem === null ? super._executeCall(message) : { execResult: revert(problem) }
  }

  async #problemOf({ caller, to, codeAddress, value, delegatecall }: CallMessage): Promise<string | null> {
    const [source, target] = [caller, to].map(({ bytes }) => bytesToHex(bytes) as Address) as [
      Address,
      Address,
    ]
    const code = bytesToHex((codeAddress ?? to).bytes) as Address
    const isMoving = !delegatecall && value > 0n
    if (isMoving && isAddressEqual(target, zeroAddress)) return 'value to the zero address'
    if (isMoving && this.getPrecompile(to) !== undefined) return 'value to a precompile'
    if (isAddressEqual(code, NATIVE_COIN_AUTHORITY) && (delegatecall || !isAddressEqual(source, ARC_USDC)))
      return 'only the USDC token may call this'
    if (!isMoving) return null
    for (const account of [source, target])
      if (await isBlocklisted(this, account)) return 'account is blocklisted'
    return null
  }
}

type CallMessage = Message & { to: EvmAddress }
