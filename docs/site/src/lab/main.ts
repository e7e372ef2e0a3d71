/** Mounts the fault lab into `#lab`. */
export {}
