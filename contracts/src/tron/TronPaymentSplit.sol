// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, TOTAL_ALLOCATION, hashSplit } from "../Split.sol";
import { committedSplitHash } from "../SplitProxy.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title TronPaymentSplit
/// @notice PaymentSplit for TRON: receives the payments of a charge, and pays only the recipients that its
/// address commits to.
/// @dev Has the terms, events and rules of PaymentSplit.sol, which cannot be used on TRON for two reasons:
/// - USDT's `transfer` returns false on success. This contract therefore ignores return values. A recipient
///   counts as paid if their balance has risen; otherwise their share is held.
/// - A call can burn all energy, because TRON does not reserve 1/64 for the caller (java-tron,
///   `Program.getCallEnergy`). Each payout therefore has an energy limit, and the energy for holding a share is
///   reserved.
///
/// No account can move TRC-10 tokens that were sent to a split.
contract TronPaymentSplit is ReentrancyGuardTransient {
    /// @dev Stands for TRX.
    address private constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev Maximum energy of a payout: over seven times the energy of a USDT transfer to a recipient without previous
    /// USDT (130,285 in September 2026), because TRON's dynamic penalty can raise the energy that far.
    uint256 private constant PAYOUT_ENERGY = 1_000_000;

    /// @dev Energy reserved for holding a share: two new storage slots at 20,000 each, an event, a balance query.
    uint256 private constant HOLDING_ENERGY = 100_000;

    /// @notice The amount held for a recipient whose payout failed, in the token's atomic units.
    mapping(address token => mapping(address recipient => uint256 amount)) public held;

    /// @notice The sum of `held` over all recipients, in the token's atomic units.
    mapping(address token => uint256 amount) public totalHeld;

    /// @notice The whole distributable amount was distributed.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param distributor the account named for the incentive; zero if there is none, or if it is this split
    /// @param amount gross amount: payouts, held payouts and the distributor's incentive, in atomic units
    event SplitDistributed(address indexed token, address indexed distributor, uint256 amount);

    /// @notice A payout failed; the split holds its amount for the recipient.
    /// @param token the TRC-20
    /// @param recipient the account that could not be paid
    /// @param amount the newly held amount, in atomic units
    event PayoutHeld(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The recipient was paid the whole amount held for them.
    /// @param token the TRC-20
    /// @param recipient the account that was paid
    /// @param amount the amount paid, in atomic units
    event PayoutReleased(address indexed token, address indexed recipient, uint256 amount);

    /// @notice The given terms are not the terms that this address commits to.
    /// @param given the hash of the given terms
    /// @param committed the hash in this split's code
    error SplitMismatch(bytes32 given, bytes32 committed);

    /// @notice The balance is zero or completely held.
    /// @param balance the split's balance, in atomic units
    /// @param totalHeld the held amount, in atomic units
    error NothingToDistribute(uint256 balance, uint256 totalHeld);

    /// @notice No recipient could be paid, for example because the token is paused or this split is blocked.
    error AllPayoutsFailed();

    /// @notice The distributor cannot receive the token.
    error IncentiveTransferFailed();

    /// @notice Nothing is held for this recipient in this token.
    error NothingHeld();

    /// @notice The recipient still cannot be paid.
    error ReleaseFailed();

    /// @notice A recipient rejects TRX, which is never held. No recipient was paid.
    /// @param recipient the account that rejects TRX
    /// @param amount their share, in atomic units
    error NativePayoutFailed(address recipient, uint256 amount);

    /// @notice A payout failed with less energy than `required`. The caller must provide more energy; otherwise
    /// a caller could force any share to be held.
    /// @param energy the energy available for the payout
    /// @param required the required energy
    error PayoutUnderpowered(uint256 energy, uint256 required);

    /// @notice The token debited more from this split than the transferred amount, so held amounts are not
    /// covered.
    /// @param balance the remaining balance, in atomic units
    /// @param totalHeld the required balance, in atomic units
    error HeldUnbacked(uint256 balance, uint256 totalHeld);

    /// @notice Pays out the whole balance that is not held.
    /// @dev If the payout of a token to a recipient fails, its amount is held and the other recipients are still
    /// paid. If no recipient can be paid, the call reverts. A failed payout of TRX reverts the call.
    ///
    /// A keeper cannot force a valid payout to be held by providing little energy, because a payout that fails
    /// with less than the maximum energy reverts the call. A token or a recipient that burns its energy cannot
    /// block the other payouts, because each payout has an energy limit.
    /// @param split the terms, exactly as used for the address
    /// @param token the TRC-20 to distribute, or 0xEeee…EEeE for TRX
    /// @param distributor the recipient of the incentive; zero or this split for no incentive
    function distribute(Split calldata split, address token, address distributor) external nonReentrant {
        bytes32 given = hashSplit(split);
        if (given != splitHash()) revert SplitMismatch(given, splitHash());

        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        if (balance <= reserved) revert NothingToDistribute(balance, reserved);
        uint256 amount = balance - reserved;

        // An incentive paid to the split itself would look like another payment, and would be counted twice.
        if (distributor == address(this)) distributor = address(0);

        emit SplitDistributed({ token: token, distributor: distributor, amount: amount });

        uint256 pot = amount - _payIncentive(split, token, distributor, amount);
        _payRecipients(split, token, pot);
        _requireHeldBacked(token);
    }

    /// @notice Pays a recipient the whole amount held for them; any account may call it.
    /// @param token the TRC-20; TRX is never held
    /// @param recipient the account to pay
    /// @return amount the amount paid, in atomic units
    function release(address token, address recipient) external nonReentrant returns (uint256 amount) {
        amount = held[token][recipient];
        if (amount == 0) revert NothingHeld();

        held[token][recipient] = 0;
        totalHeld[token] -= amount;
        emit PayoutReleased({ token: token, recipient: recipient, amount: amount });

        if (!_tryPay(token, recipient, amount)) revert ReleaseFailed();
        _requireHeldBacked(token);
    }

    /// @notice Returns the amount that `distribute` would distribute now: the balance minus held amounts.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @return the amount, in atomic units
    function distributable(address token) external view returns (uint256) {
        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        return balance > reserved ? balance - reserved : 0;
    }

    /// @notice Returns the hash of the terms that this address commits to. Only meaningful for a split, not for
    /// this implementation itself.
    /// @return keccak256 of the terms' ABI encoding
    function splitHash() public view returns (bytes32) {
        return committedSplitHash();
    }

    /// @dev Pays the distributor the incentive, rounded down.
    function _payIncentive(Split calldata split, address token, address distributor, uint256 amount)
        private
        returns (uint256 incentive)
    {
        if (distributor == address(0)) return 0;
        incentive = (amount * split.distributionIncentive) / TOTAL_ALLOCATION;
        if (incentive == 0) return 0;
        if (!_tryPay(token, distributor, incentive)) revert IncentiveTransferFailed();
    }

    /// @dev Pays or holds each recipient's share of `pot`, rounded down. The first recipient gets the remainder,
    /// which is never zero.
    function _payRecipients(Split calldata split, address token, uint256 pot) private {
        uint256 rest = pot;
        bool isAnyonePaid = false;
        for (uint256 i = 1; i < split.recipients.length; i++) {
            uint256 share = (pot * split.allocations[i]) / TOTAL_ALLOCATION;
            if (share == 0) continue;
            rest -= share;
            if (_payOrHold(token, split.recipients[i], share)) isAnyonePaid = true;
        }
        if (_payOrHold(token, split.recipients[0], rest)) isAnyonePaid = true;
        if (!isAnyonePaid) revert AllPayoutsFailed();
    }

    /// @dev Pays a share, or holds it if the payout of a token fails. If a payout of TRX fails, the
    /// distribution reverts.
    /// @return isPaid whether the recipient was paid; if not, the amount is held
    function _payOrHold(address token, address recipient, uint256 amount) private returns (bool isPaid) {
        isPaid = _tryPay(token, recipient, amount);
        if (isPaid) return true;
        if (token == NATIVE_COIN) revert NativePayoutFailed(recipient, amount);

        held[token][recipient] += amount;
        totalHeld[token] += amount;
        emit PayoutHeld({ token: token, recipient: recipient, amount: amount });
    }

    /// @dev Sends the amount with an energy limit and without copying any return data. A token payout
    /// succeeded if the balance of `to` has risen, because USDT returns false on success.
    function _tryPay(address token, address to, uint256 amount) private returns (bool isPaid) {
        uint256 energy = _payoutEnergy();
        if (token == NATIVE_COIN) {
            isPaid = _call({ target: to, energy: energy, value: amount, data: "" });
        } else {
            uint256 before = IERC20(token).balanceOf(to);
            _call({
                target: token, energy: energy, value: 0, data: abi.encodeCall(IERC20.transfer, (to, amount))
            });
            isPaid = IERC20(token).balanceOf(to) > before;
        }
        if (!isPaid && energy < PAYOUT_ENERGY) revert PayoutUnderpowered(energy, PAYOUT_ENERGY);
    }

    /// @dev Returns the energy limit of the next payout, or zero if the rest only suffices for holding the share.
    function _payoutEnergy() private view returns (uint256) {
        uint256 left = gasleft();
        if (left <= HOLDING_ENERGY) return 0;
        uint256 energy = left - HOLDING_ENERGY;
        return energy < PAYOUT_ENERGY ? energy : PAYOUT_ENERGY;
    }

    /// @dev Calls a contract and returns only whether the call succeeded. A Solidity call would copy the
    /// return data, whose size the callee chooses.
    function _call(address target, uint256 energy, uint256 value, bytes memory data)
        private
        returns (bool isSuccess)
    {
        assembly ("memory-safe") {
            isSuccess := call(energy, target, value, add(data, 0x20), mload(data), 0, 0)
        }
    }

    /// @dev Reverts if the balance does not cover the held amounts, because a token might debit more than the
    /// transferred amount, or debit this split without paying the recipient.
    function _requireHeldBacked(address token) private view {
        uint256 reserved = totalHeld[token];
        if (reserved == 0) return;
        uint256 balance = IERC20(token).balanceOf(address(this));
        if (balance < reserved) revert HeldUnbacked({ balance: balance, totalHeld: reserved });
    }

    function _balanceAndHeld(address token) private view returns (uint256 balance, uint256 reserved) {
        if (token == NATIVE_COIN) return (address(this).balance, 0);
        return (IERC20(token).balanceOf(address(this)), totalHeld[token]);
    }
}
