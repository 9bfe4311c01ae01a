//! What an era says on the wire: requests of one era in, results of that era out. Holds no state of tasks.
