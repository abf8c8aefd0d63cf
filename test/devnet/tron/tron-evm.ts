import type { Common } from '@ethereumjs/common'
import {
  EVM,
  EVMMockBlockchain,
  type EVMResult,
  type EVMRunCallOpts,
  type Message,
  NobleBN254,
  paramsEVM,
} from '@ethereumjs/evm'
import type { MerkleStateManager } from '@ethereumjs/statemanager'
import { Address as EvmAddress } from '@ethereumjs/util'
import { bytesToHex, concatHex, type Hex, hexToBytes, keccak256, numberToHex, slice } from 'viem'

/** CALL, CALLCODE, DELEGATECALL and STATICCALL, whose first stack word is the requested energy. */
const CALLS = [0xf1, 0xf2, 0xf4, 0xfa]
const CREATIONS = [0xf0, 0xf5]

/**
 * TRON's energy prices, without the dynamic penalty. Storage is cheap to read and expensive to write. The first read of
 * a slot costs the same as later reads. Source: java-tron, EnergyCost.java, November 2026.
 */
const ENERGY = {
  ...paramsEVM,
  2929: {
    ...paramsEVM[2929],
    ...{ coldsloadGas: 50, coldaccountaccessGas: 40, warmstoragereadGas: 50 },
    ...{ sstoreCleanEIP2200Gas: 5_000, sstoreNoopEIP2200Gas: 5_000, sstoreDirtyEIP2200Gas: 5_000 },
  },
}

/**
 * An EVM with TRON's rules: contract addresses are derived differently than on Ethereum, and a call may use all
 * available energy.
 *
 * In every call, Ethereum reserves 1/64 of the gas, so that the caller can continue if the callee burns all its gas.
 * TRON reserves nothing (java-tron, `Program.getCallEnergy`).
 */
export class TronEvm extends EVM {
  /**
   * Id of the running transaction. It determines the addresses of the contracts that the transaction creates, except
   * those created with CREATE2.
   */
  rootId: Hex = `0x${'0'.repeat(64)}`
  /**
   * Number of calls and creations that contracts of the transaction have started. Calls of precompiles do not count.
   *
   * Source: java-tron, Program.java (`nonce`), November 2026. SELFDESTRUCT, which also counts there, is left out.
   */
  started = 0n
  /** The number before the creation whose address is generated next. */
  #nonce = 0n

  constructor(common: Common, stateManager: MerkleStateManager) {
    super({
      ...{ common, stateManager, params: ENERGY },
      ...{ bn254: new NobleBN254(), blockchain: new EVMMockBlockchain() },
    })
  }

  override getActiveOpcodes(): ReturnType<EVM['getActiveOpcodes']> {
    const opcodes = super.getActiveOpcodes()
    for (const code of [...CALLS, ...CREATIONS]) {
      // oxlint-disable-next-line no-underscore-dangle -- the package's own name
      const entry = this._opcodeMap[code]
      const price = entry?.gasHandler
      if (entry === undefined || price === undefined) throw new Error(`the opcode ${code} has no price`)
      entry.gasHandler = async (runState, base, common) => {
        const energy = await price(runState, base, common)
        const left = runState.interpreter.getGasLeft() - energy
        const [offered = left] = CALLS.includes(code) ? runState.stack.peek(1) : []
        runState.messageGasLimit = offered > left ? left : offered
        return energy
      }
    }
    return opcodes
  }

  override async runCall(options: EVMRunCallOpts): Promise<EVMResult> {
    // Only calls and creations by contracts have a message.
    const { message } = options
    if (message !== undefined) {
      this.#nonce = this.started
      const isPrecompile = message.to !== undefined && this.getPrecompile(message.codeAddress) !== undefined
      if (!isPrecompile) this.started += 1n
    }
    return super.runCall(options)
  }

  // The package calls this twice for each creation, so it must not change anything.
  // oxlint-disable-next-line no-underscore-dangle -- the package's own name
  protected override async _generateAddress(message: Message): Promise<EvmAddress> {
    return new EvmAddress(hexToBytes(slice(keccak256(this.#seedOf(message)), 12)))
  }

  #seedOf({ salt, caller, code, depth }: Message): Hex {
    const maker = concatHex(['0x41', bytesToHex(caller.bytes)])
    if (depth === 0) return concatHex([this.rootId, maker])
    if (salt !== undefined)
      return concatHex([maker, bytesToHex(salt), keccak256(bytesToHex(code as Uint8Array))])
    return concatHex([this.rootId, numberToHex(this.#nonce, { size: 8 })])
  }
}
