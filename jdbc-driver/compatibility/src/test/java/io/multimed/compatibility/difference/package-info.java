/** The same calls on the engine's own driver and on ours, outcome by outcome. */
package io.multimed.compatibility.difference;
