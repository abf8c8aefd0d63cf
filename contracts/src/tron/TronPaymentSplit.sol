// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, TOTAL_ALLOCATION, hashSplit } from "../Split.sol";
import { committedSplitHash } from "../SplitProxy.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title TronPaymentSplit
/// @notice PaymentSplit for TRON: the address that a charge is paid to, which pays only the recipients it
/// commits to.
/// @dev Terms, events, errors and rules are those of PaymentSplit.sol, which cannot be used on TRON for two
/// reasons:
/// - USDT's `transfer` returns false on success. Therefore return values are ignored: a recipient has been
///   paid if their balance has risen; otherwise their share is held.
/// - A call may burn all energy, because TRON does not reserve one sixty-fourth (java-tron,
///   `Program.getCallEnergy`). Therefore each payout has its own limit, and the cost of holding is reserved.
///
/// TRC-10 tokens sent to a split cannot be moved by any account.
contract TronPaymentSplit is ReentrancyGuardTransient {
    /// @dev Stands for TRX.
    address private constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    /// @dev Maximum energy of a payout: seven times the energy that USDT needs for a recipient without
    /// previous USDT (130,285 in September 2026), because the dynamic penalty can raise it that far.
    uint256 private constant PAYOUT_ENERGY = 1_000_000;

    /// @dev Energy reserved for holding a share: two fresh storage words at 20,000, an event, a balance.
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

    /// @notice The given terms are not the ones that this address commits to.
    /// @param given the hash of the given terms
    /// @param committed the hash in this split's code
    error SplitMismatch(bytes32 given, bytes32 committed);

    /// @notice The whole balance is held, or there is no balance.
    /// @param balance the split's balance, in atomic units
    /// @param totalHeld the held part of it, in atomic units
    error NothingToDistribute(uint256 balance, uint256 totalHeld);

    /// @notice No recipient could be paid, for example because the token is paused or this split is blocked.
    error AllPayoutsFailed();

    /// @notice The distributor cannot receive the token.
    error IncentiveTransferFailed();

    /// @notice Nothing is held for this recipient in this token.
    error NothingHeld();

    /// @notice The recipient still cannot be paid.
    error ReleaseFailed();

    /// @notice A recipient rejects TRX, which is never held; no recipient was paid.
    /// @param recipient the account that rejects it
    /// @param amount their share, in atomic units
    error NativePayoutFailed(address recipient, uint256 amount);

    /// @notice A payout failed with less energy than its maximum. The distributor must provide more, because
    /// they could otherwise force any share to be held.
    /// @param energy the energy available for the payout
    /// @param required the required energy
    error PayoutUnderpowered(uint256 energy, uint256 required);

    /// @notice The token debited more from this split than the transferred amount, at the expense of held
    /// amounts.
    /// @param balance the remaining balance, in atomic units
    /// @param totalHeld the required balance, in atomic units
    error HeldUnbacked(uint256 balance, uint256 totalHeld);

    /// @notice Pays out the whole balance that is not held.
    /// @dev If a token payout fails, its amount is held and the others are still made. If no payout succeeds,
    /// the call reverts. A failed payout of TRX reverts all payouts.
    ///
    /// A keeper cannot force a valid payout to be held by providing little energy: a payout that fails with
    /// less than its maximum reverts the call. A token or a recipient that burns its energy cannot stop the
    /// others, because each call has a limit.
    /// @param split the terms, exactly as used for the address
    /// @param token the TRC-20 to distribute, or 0xEeee…EEeE for TRX
    /// @param distributor the recipient of the incentive; if it is zero or this split, the recipients share
    /// it
    function distribute(Split calldata split, address token, address distributor) external nonReentrant {
        // Check that the terms are the committed ones.
        bytes32 given = hashSplit(split);
        if (given != splitHash()) revert SplitMismatch(given, splitHash());

        // Check that there is an amount to distribute.
        (uint256 balance, uint256 reserved) = _balanceAndHeld(token);
        if (balance <= reserved) revert NothingToDistribute(balance, reserved);
        uint256 amount = balance - reserved;

        // Paid to the split itself, the incentive would look like another payment, and the payer could have
        // it counted twice.
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
        // Check that an amount is held.
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

    /// @notice Returns the hash of the terms that this address commits to. Only meaningful behind a split's
    /// proxy.
    /// @return keccak256 of the terms' ABI encoding
    function splitHash() public view returns (bytes32) {
        return committedSplitHash();
    }

    /// @dev Pays the distributor their part of `amount`, rounded down.
    /// @param split the terms
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param distributor the recipient of the incentive; zero for none
    /// @param amount the whole distributed amount, in atomic units
    /// @return incentive the amount paid, in atomic units
    function _payIncentive(Split calldata split, address token, address distributor, uint256 amount)
        private
        returns (uint256 incentive)
    {
        if (distributor == address(0)) return 0;
        incentive = (amount * split.distributionIncentive) / TOTAL_ALLOCATION;
        if (incentive == 0) return 0;
        if (!_tryPay(token, distributor, incentive)) revert IncentiveTransferFailed();
    }

    /// @dev Pays or holds `pot`: each part is rounded down, and the first recipient gets the rest, which is
    /// never zero.
    /// @param split the terms
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param pot the amount after the incentive, in atomic units
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

    /// @dev Pays a share. If a token payout fails, the share is held. If a payout of TRX fails, the
    /// distribution reverts.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param recipient the account to pay
    /// @param amount their share, in atomic units
    /// @return isPaid whether they were paid; if not, the amount is held for them
    function _payOrHold(address token, address recipient, uint256 amount) private returns (bool isPaid) {
        isPaid = _tryPay(token, recipient, amount);
        if (isPaid) return true;
        if (token == NATIVE_COIN) revert NativePayoutFailed(recipient, amount);

        held[token][recipient] += amount;
        totalHeld[token] += amount;
        emit PayoutHeld({ token: token, recipient: recipient, amount: amount });
    }

    /// @dev Sends the amount with an energy limit and without copying any return data. For a token, only a
    /// risen balance counts as a payment, because USDT returns false on success.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX
    /// @param to the account to pay
    /// @param amount the amount to pay, in atomic units
    /// @return isPaid whether the account was paid
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
        // Check that the failure was not due to a lack of energy.
        if (!isPaid && energy < PAYOUT_ENERGY) revert PayoutUnderpowered(energy, PAYOUT_ENERGY);
    }

    /// @dev Returns the energy limit of the next payout.
    /// @return the limit; zero if the remaining energy would not suffice for holding
    function _payoutEnergy() private view returns (uint256) {
        uint256 left = gasleft();
        if (left <= HOLDING_ENERGY) return 0;
        uint256 energy = left - HOLDING_ENERGY;
        return energy < PAYOUT_ENERGY ? energy : PAYOUT_ENERGY;
    }

    /// @dev Calls a contract and returns only whether the call succeeded. A Solidity call would copy the
    /// return data, whose size the callee chooses.
    /// @param target the contract to call
    /// @param energy the energy limit
    /// @param value TRX to send, in sun
    /// @param data the calldata
    /// @return isSuccess whether the call succeeded
    function _call(address target, uint256 energy, uint256 value, bytes memory data)
        private
        returns (bool isSuccess)
    {
        assembly ("memory-safe") {
            isSuccess := call(energy, target, value, add(data, 0x20), mload(data), 0, 0)
        }
    }

    /// @dev Measures the balance instead of trusting the token. A token that debits more than the transferred
    /// amount, or moves money and reports a failure, must not spend the money of a held recipient.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX, which is never held
    function _requireHeldBacked(address token) private view {
        uint256 reserved = totalHeld[token];
        if (reserved == 0) return;
        uint256 balance = IERC20(token).balanceOf(address(this));
        if (balance < reserved) revert HeldUnbacked({ balance: balance, totalHeld: reserved });
    }

    /// @dev Returns the balance and the held part of it.
    /// @param token the TRC-20, or 0xEeee…EEeE for TRX, which is never held
    /// @return balance the split's balance, in atomic units
    /// @return reserved the held part of it, in atomic units
    function _balanceAndHeld(address token) private view returns (uint256 balance, uint256 reserved) {
        if (token == NATIVE_COIN) return (address(this).balance, 0);
        return (IERC20(token).balanceOf(address(this)), totalHeld[token]);
    }
}
